// Command thirdparty ranks the systems of the sample data by BLEU, by a metric
// that is not the library's (package lengtherror), by BERTScore, and by
// difficulty-aware BERTScore, beside people's ranks: `mteval rank`, written with
// the library.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend/lexical"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/examples/lengtherror"
	"github.com/mteval/mteval/ranking"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: thirdparty examples/data")
	}
	if err := run(context.Background(), os.Stdout, os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, w io.Writer, data string) error {
	refs, systems, human, err := load(data)
	if err != nil {
		return err
	}

	// Metrics whose rows do not depend on the other systems.
	bleuScorer, err := bleu.New(bleu.Options{})
	if err != nil {
		return err
	}
	var metrics []ranking.FieldMetric
	for _, s := range []mteval.Scorer{bleuScorer, lengtherror.Scorer{}} {
		table, err := mteval.Systems(ctx, s, refs, systems)
		if err != nil {
			return err
		}
		metrics = append(metrics, ranking.FromTable(table))
	}

	// BERTScore and its difficulty-aware form share the matching of tokens.
	vectors, err := lexical.New(lexical.Options{})
	if err != nil {
		return err
	}
	defer vectors.Close()
	bert, err := bertscore.New(vectors, bertscore.Options{})
	if err != nil {
		return err
	}
	matcher, err := bert.PrepareMatch(ctx, refs)
	if err != nil {
		return err
	}
	matchings, err := mteval.MatchSystems(ctx, matcher, systems)
	if err != nil {
		return err
	}
	field, err := difficulty.NewField(bert, matchings, difficulty.Paper(), difficulty.Function{})
	if err != nil {
		return err
	}
	metrics = append(metrics, ranking.FromTable(matchings.Table(bert)), field)

	var names []string
	for _, s := range systems {
		names = append(names, s.Name)
	}
	r, err := ranking.Rank(ctx, names, metrics, ranking.Options{Human: human})
	if err != nil {
		return err
	}
	for m, info := range r.Metrics {
		fmt.Fprintf(w, "%s:", info.Name)
		for _, s := range r.Systems {
			fmt.Fprintf(w, "  %s %.4f (%d)", s.Name, s.Scores[m], s.Ranks[m])
		}
		fmt.Fprintf(w, "  Kendall %+.2f\n", *r.Correlations[m].Kendall)
	}
	return nil
}

// load reads the sample data.
func load(dir string) ([][]string, []mteval.System, []ranking.Human, error) {
	ref, err := lines(filepath.Join(dir, "ref.de"))
	if err != nil {
		return nil, nil, nil, err
	}
	refs, err := mteval.Segments(ref)
	if err != nil {
		return nil, nil, nil, err
	}
	paths, err := filepath.Glob(filepath.Join(dir, "sys", "*.txt"))
	if err != nil {
		return nil, nil, nil, err
	}
	var systems []mteval.System
	for _, p := range paths {
		hyps, err := lines(p)
		if err != nil {
			return nil, nil, nil, err
		}
		systems = append(systems, mteval.System{Name: strings.TrimSuffix(filepath.Base(p), ".txt"), Hyps: hyps})
	}
	rows, err := lines(filepath.Join(dir, "human.tsv"))
	if err != nil {
		return nil, nil, nil, err
	}
	var human []ranking.Human
	for _, row := range rows[1:] {
		name, text, _ := strings.Cut(row, "\t")
		score, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, nil, nil, err
		}
		human = append(human, ranking.Human{System: name, Score: score})
	}
	return refs, systems, human, nil
}

func lines(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), nil
}
