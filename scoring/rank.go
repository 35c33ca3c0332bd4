package scoring

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/internal/contract"
	"github.com/mteval/mteval/preference"
	"github.com/mteval/mteval/ranking"
)

// RankOptions are what systems are ranked by.
type RankOptions struct {
	// Metrics beside Base, and Base, of which there is a plain column and a difficulty-aware one;
	// nil: there is none of these, and nothing is told of people.
	Metrics    []mteval.Scorer
	Base       mteval.MatchScorer
	Difficulty difficulty.Options
	// Calibration tells what people would prefer, by Terms, the metrics of its terms.
	Calibration *preference.Calibration
	Terms       []Metric
	// Confidence is the probability from which on systems are told apart, above .5 and at most 1;
	// 0 is .95.
	Confidence float64
	// Human scores of systems, if there are any.
	Human []ranking.Human
}

// A Ranking is systems in the order of people's scores, or without any of what people would
// prefer, or without that of the first metric.
type Ranking struct {
	*ranking.Result
	// Signatures of Metrics.
	Signatures []mteval.Signature
	// Opinion is of the systems as they were given; nil without a base.
	Opinion *Opinion
	// Field has the difficulty among any of the systems, and Poll that among those that had a vote
	// in the difficulty-aware column; nil without a base.
	Field *difficulty.Field
	Poll  *difficulty.Poll
}

// An Opinion is what people would say of systems.
type Opinion struct {
	*preference.Result
	Calibration *preference.Calibration
	Confidence  float64 // of Groups
	// Groups, Wins and Best are those of Result, by system.
	Groups     []int
	Wins, Best []float64
	Check      *preference.Check // how right that is; nil: nobody was asked
}

// NewOpinion is what a calibration's result says at a confidence, as Result.Groups takes it.
func NewOpinion(r *preference.Result, c *preference.Calibration, confidence float64) (*Opinion, error) {
	groups, err := r.Groups(confidence)
	if err != nil {
		return nil, err
	}
	return &Opinion{Result: r, Calibration: c, Confidence: confidence, Groups: groups, Wins: r.Wins(), Best: r.Best()}, nil
}

// Rank ranks the systems of a run. Errors are those of Table, Form, Judge and ranking.Rank.
func (r *Run) Rank(ctx context.Context, o RankOptions) (*Ranking, error) {
	if r == nil || r.Texts == nil {
		return nil, errNoTexts
	}
	out := new(Ranking)
	if contract.Nil(o.Base) {
		return out, out.byMetrics(ctx, r, &o)
	}
	if o.Calibration == nil {
		return nil, errors.New("scoring: Rank with a base needs a calibration, such as preference.Default()")
	}
	if err := out.ask(ctx, r, &o); err != nil {
		return nil, err
	}
	return out, out.withBase(ctx, r, &o)
}

// ask finds what people would say of the systems, and how right that is, as far as they did.
func (k *Ranking) ask(ctx context.Context, r *Run, o *RankOptions) error {
	result, err := r.Judge(ctx, o.Calibration, o.Terms)
	if err != nil {
		return err
	}
	if k.Opinion, err = NewOpinion(result, o.Calibration, cmp.Or(o.Confidence, .95)); err != nil || len(o.Human) == 0 {
		return err
	}
	scores := make([]float64, len(r.systems()))
	for i, s := range r.systems() {
		scores[i] = math.NaN()
		if at := slices.IndexFunc(o.Human, func(h ranking.Human) bool { return h.System == s.Name }); at >= 0 {
			scores[i] = o.Human[at].Score
		}
	}
	k.Opinion.Check, err = result.Check(scores)
	return err
}

// columns scores the systems by the metrics beside the base.
func (k *Ranking) columns(ctx context.Context, r *Run, o *RankOptions) ([]ranking.FieldMetric, error) {
	var out []ranking.FieldMetric
	for _, s := range o.Metrics {
		t, err := r.Table(ctx, s)
		if err != nil {
			return nil, err
		}
		out = append(out, ranking.FromTable(t))
		k.Signatures = append(k.Signatures, t.Info.Signature)
	}
	return out, nil
}

func systemNames(systems []mteval.System) []string {
	var out []string
	for _, s := range systems {
		out = append(out, s.Name)
	}
	return out
}

// withBase ranks by all metrics: in people's order, or else by what people would say.
func (k *Ranking) withBase(ctx context.Context, r *Run, o *RankOptions) error {
	metrics, err := k.columns(ctx, r, o)
	if err != nil {
		return err
	}
	if k.Field, err = r.field(ctx, o.Base, o.Difficulty); err != nil {
		return err
	}
	plain, err := r.Table(ctx, o.Base)
	if err != nil {
		return err
	}
	metrics = append(metrics, ranking.FromTable(plain), k.Field)
	if k.Result, err = ranking.Rank(ctx, systemNames(r.systems()), metrics, ranking.Options{Human: o.Human}); err != nil {
		return err
	}
	if len(o.Human) == 0 {
		k.reorder(k.given(), k.Opinion.Order())
	}
	// The signature of the difficulty-aware score tells the weights that its column was
	// made with, those of the systems that had a vote.
	if k.Poll, err = k.Field.Poll(ctx, k.Order, k.Voters); err != nil {
		return err
	}
	k.Signatures = append(k.Signatures, plain.Info.Signature, k.Poll.Scorer().Info().Signature.Complete(r.Texts.Refs))
	return nil
}

// byMetrics ranks by metrics alone: in people's order, or else by the first of the metrics.
func (k *Ranking) byMetrics(ctx context.Context, r *Run, o *RankOptions) error {
	metrics, err := k.columns(ctx, r, o)
	if err != nil {
		return err
	}
	if k.Result, err = ranking.Rank(ctx, systemNames(r.systems()), metrics, ranking.Options{Human: o.Human}); err != nil || len(o.Human) > 0 || len(metrics) == 0 {
		return err
	}
	rows := k.given()
	order := slices.Clone(k.Order)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rows[a].Ranks[0], rows[b].Ranks[0]) })
	k.reorder(rows, order)
	return nil
}

// given are the rows of the systems as these were given.
func (k *Ranking) given() []ranking.Row {
	rows := make([]ranking.Row, len(k.Systems))
	for i, at := range k.Order {
		rows[at] = k.Systems[i]
	}
	return rows
}

// reorder puts the systems, whose rows are given as the systems were, into an order.
func (k *Ranking) reorder(rows []ranking.Row, order []int) {
	k.Order = order
	for i, at := range order {
		k.Systems[i] = rows[at]
	}
}
