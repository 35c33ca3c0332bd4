package show

// A Key is a name that JSON and TSV have for what a command found: the same in all commands.
type Key struct {
	Name string
	Kind Kind
	// Help is what it means: docs/output.md lists them.
	Help string
	// span: an interval, whose upper end is called high in place of low.
	span bool
}

// A TableKey is the name of a table.
type TableKey struct{ Name, Help string }

// Keys are all that columns and facts have. A command takes the one that is here before it adds
// one.
var Keys = []Key{
	// Names.
	{Name: "system", Help: "system whose outputs are scored"},
	{Name: "other", Help: "system that the one of the row is compared with"},
	{Name: "metric", Help: "metric"},
	{Name: "segment", Help: "segment: its number from 1, or the name that the file has for it"},
	{Name: "by", Help: "what groups of segments are made by"},
	{Name: "group", Help: "group of segments"},
	{Name: "answer", Help: "what was asked for, in a sentence"},
	{Name: "source", Help: "text of the source"},
	{Name: "reference", Help: "text of the reference"},
	{Name: "output", Help: "text of the system's output"},
	{Name: "other_output", Help: "text of the other system's output"},
	{Name: "lower_is_better", Kind: Flag, Help: "whether less of the metric is better"},
	// Scores.
	{Name: "score", Kind: Score, Help: "score by the metric"},
	{Name: "other_score", Kind: Score, Help: "score of the other system"},
	{Name: "mean", Kind: Score, Help: "mean of the segments' scores"},
	{Name: "low", Kind: Score, span: true, Help: "lower end of the 95% interval"},
	{Name: "high", Kind: Score, Help: "upper end of the 95% interval"},
	{Name: "difference", Kind: Difference, Help: "by how much the row's system is better, in the metric's unit"},
	{Name: "behind", Kind: Difference, Help: "by how much the best system on all segments is better"},
	// Tests.
	{Name: "p_value", Kind: PValue, Help: "p-value, two-sided"},
	{Name: "ar_p_value", Kind: PValue, Help: "p-value of approximate randomization"},
	{Name: "ar_adjusted_p_value", Kind: PValue, Help: "the same, adjusted by Holm's method for all pairs"},
	{Name: "bs_p_value", Kind: PValue, Help: "p-value of the paired bootstrap"},
	{Name: "bs_adjusted_p_value", Kind: PValue, Help: "the same, adjusted by Holm's method for all pairs"},
	{Name: "t", Kind: Score, Help: "t of Student's paired t-test"},
	{Name: "t_p_value", Kind: PValue, Help: "p-value of Student's paired t-test"},
	{Name: "t_adjusted_p_value", Kind: PValue, Help: "the same, adjusted by Holm's method for all pairs"},
	{Name: "cluster", Kind: Count, Help: "cluster, from 1: every system above is significantly better than every one below"},
	{Name: "wins", Kind: Count, Help: "segments on which the row's system is better"},
	{Name: "ties", Kind: Count, Help: "segments on which both are equal"},
	{Name: "losses", Kind: Count, Help: "segments on which the other is better"},
	// Counts.
	{Name: "segments", Kind: Count, Help: "number of segments"},
	{Name: "missing", Kind: Count, Help: "segments left out, as not all systems have scores there"},
	{Name: "needed", Kind: Count, Help: "fewest segments without which the order would change"},
}

// Tables are the names of tables: arrays in JSON.
var Tables = []TableKey{
	{"systems", "a row for each metric and system"},
	{"pairs", "a row for each metric and pair of systems, the better first"},
	{"groups", "a row for each group of segments and system"},
	{"segments", "a row for each segment"},
	{"metrics", "a row for each metric"},
	{"decisions", "a row for each metric: what decides between two systems"},
}

// keyed is the key of this name, which must be there.
func keyed(name string) Key {
	for _, k := range Keys {
		if k.Name == name {
			return k
		}
	}
	if name != "" {
		panic("show: no key " + name + " in Keys")
	}
	return Key{}
}
