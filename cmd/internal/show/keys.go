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
	{Name: "metric", Help: "metric, as its signature is called"},
	{Name: "other_metric", Help: "metric that the one of the row is compared with"},
	{Name: "segment", Help: "segment: its number from 1, or the name that the file has for it"},
	{Name: "document", Help: "document of the segment"},
	{Name: "domain", Help: "domain of the segments"},
	{Name: "by", Help: "what groups of segments are made by"},
	{Name: "group", Help: "group of segments"},
	{Name: "measure", Help: "measure of agreement with people"},
	{Name: "form", Help: "form of difficulty-aware scoring; none for a metric as it is"},
	{Name: "coefficient", Help: "correlation coefficient: pearson, kendall, spearman"},
	{Name: "test", Help: "test of significance: ar, bs, t, perm"},
	{Name: "signature", Help: "how the numbers of the row were made"},
	{Name: "lower_is_better", Kind: Flag, Help: "whether less of the metric is better"},
	// Scores.
	{Name: "score", Kind: Score, Help: "score by the metric"},
	{Name: "other_score", Kind: Score, Help: "score of the other system"},
	{Name: "mean", Kind: Score, Help: "mean of the segments' scores, or of bootstrap samples"},
	{Name: "low", Kind: Score, span: true, Help: "95% interval"},
	{Name: "precision", Kind: Score, Help: "precision"},
	{Name: "recall", Kind: Score, Help: "recall"},
	{Name: "f", Kind: Score, Help: "F of precision and recall"},
	{Name: "difference", Kind: Difference, Help: "by how much the row's is better, in the metric's unit, or if so much less is better"},
	{Name: "human", Kind: Exact, Help: "people's score"},
	// Tests.
	{Name: "p_value", Kind: PValue, Help: "p-value, two-sided"},
	{Name: "adjusted_p_value", Kind: PValue, Help: "p-value adjusted by Holm's method for all pairs"},
	{Name: "cluster", Kind: Count, Help: "cluster, from 1: every one above is significantly better than every one below"},
	{Name: "wins", Kind: Count, Help: "segments on which the row's system is better"},
	{Name: "ties", Kind: Count, Help: "segments on which both are equal"},
	{Name: "losses", Kind: Count, Help: "segments on which the other is better"},
	// Counts.
	{Name: "segments", Kind: Count, Help: "number of segments"},
	{Name: "systems", Kind: Count, Help: "number of systems"},
	{Name: "pairs", Kind: Count, Help: "number of pairs"},
	{Name: "missing", Kind: Count, Help: "segments left out, as not all systems have scores there"},
	{Name: "rank", Kind: Count, Help: "rank by the metric, from 1"},
}

// Tables are the names of tables: arrays in JSON.
var Tables = []TableKey{
	{"systems", "a row for each system (and metric)"},
	{"scores", "a row for each system and metric"},
	{"pairs", "a row for each pair of systems (and metric)"},
	{"groups", "a row for each group of segments and system"},
	{"segments", "a row for each segment"},
	{"metrics", "a row for each metric"},
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

func kindOf(key string) Kind { return keyed(key).Kind }
