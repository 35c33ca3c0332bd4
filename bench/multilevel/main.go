// Command multilevel prints Pearson's correlation of metrics' scores of systems with
// people's, the rows of Tables 1 and 2 of Chen, Guo and Kuhn 2015 at system level: BLEU and
// METEOR from a corpus's statistics, and as the mean of their segments' scores weighted by
// the references' lengths (section 4.3), METEOR with the presets' levels by words, and into
// English DREEM and DREEM with levels.
//
//	multilevel [-jar meteor-1.5.jar -paraphrases FILE] FOLDER…
//
// A folder has ref.LANG, sys/*.txt and human-system.tsv (system, score). METEOR splits off
// punctuation and ignores case.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/dreem"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/meteor"
	"github.com/mteval/mteval/multilevel"
	"github.com/mteval/mteval/tokenize"
)

func main() {
	log.SetFlags(0)
	jar := flag.String("jar", "", "meteor-1.5.jar, for its lists")
	paraphrases := flag.String("paraphrases", "", "METEOR's paraphrases, for English")
	flag.Parse()
	if flag.NArg() == 0 {
		log.Fatal("usage: multilevel [-jar JAR -paraphrases FILE] FOLDER…")
	}
	fmt.Println("data         systems  BLEU corpus  BLEU mean  METEOR corpus  METEOR mean  with levels  DREEM  with levels")
	for _, dir := range flag.Args() {
		r, n, err := compare(context.Background(), dir, *jar, *paraphrases)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-12s %7d", filepath.Base(dir), n)
		for i, width := range []int{13, 11, 15, 13, 13, 7, 13} {
			cell := "–"
			if i < len(r) {
				cell = strconv.FormatFloat(r[i], 'f', 3, 64)
			}
			fmt.Printf("%*s", width, cell)
		}
		fmt.Println()
	}
}

// compare returns the correlations, in the order of the table, and the number of systems.
func compare(ctx context.Context, dir, jar, paraphrases string) (r []float64, n int, err error) {
	refPaths, err := filepath.Glob(filepath.Join(dir, "ref.*"))
	if err != nil || len(refPaths) != 1 {
		return nil, 0, fmt.Errorf("%s: %d files ref.*, want one", dir, len(refPaths))
	}
	ref, err := files.OpenText(ctx, refPaths[0], files.Options{})
	if err != nil {
		return nil, 0, err
	}
	refs, err := mteval.Segments(ref.Lines)
	if err != nil {
		return nil, 0, err
	}
	table, err := files.OpenText(ctx, filepath.Join(dir, "human-system.tsv"), files.Options{})
	if err != nil {
		return nil, 0, err
	}
	var systems []mteval.System
	var human []float64
	for i, line := range table.Lines[1:] {
		name, value, _ := strings.Cut(line, "\t")
		x, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return nil, 0, fmt.Errorf("%s/human-system.tsv:%d: %w", dir, i+2, err)
		}
		f, err := files.OpenText(ctx, filepath.Join(dir, "sys", name+".txt"), files.Options{})
		if err != nil {
			return nil, 0, err
		}
		systems = append(systems, mteval.System{Name: name, Hyps: f.Lines})
		human = append(human, x)
	}

	b, err := bleu.New(bleu.Options{})
	if err != nil {
		return nil, 0, err
	}
	sentence, err := bleu.New(bleu.Options{EffectiveOrder: true})
	if err != nil {
		return nil, 0, err
	}
	o := meteor.Options{Language: strings.TrimPrefix(filepath.Ext(refPaths[0]), "."), Normalization: meteor.Full}
	if jar != "" {
		if o.Resources, err = meteor.OpenJar(jar); err != nil {
			return nil, 0, err
		}
	}
	if paraphrases != "" && o.Language == "en" {
		if o.Paraphrases, err = meteor.OpenParaphrases(ctx, paraphrases); err != nil {
			return nil, 0, err
		}
	}
	m, err := meteor.New(o)
	if err != nil {
		return nil, 0, err
	}
	// One level is the plain metric, and the mean of its segments.
	leveled, err := multilevel.New(m, multilevel.Options{Levels: make([]multilevel.Level, 1)})
	if err != nil {
		return nil, 0, err
	}
	scorers := []mteval.Scorer{b, sentence, m, leveled}
	levels := multilevel.OutOfEnglish()
	if o.Language == "en" {
		levels = multilevel.IntoEnglish(nil)
	}
	three, err := multilevel.New(m, levels)
	if err != nil {
		return nil, 0, err
	}
	scorers = append(scorers, three)
	if o.Language == "en" {
		d, err := dreem.New(dreem.Options{})
		if err != nil {
			return nil, 0, err
		}
		levels.Words = multilevel.WordsBy(tokenize.V13a, true)
		for i, w := range dreem.Levels() {
			levels.Levels[i].Values = w.Values()
		}
		three, err := multilevel.New(d, levels)
		if err != nil {
			return nil, 0, err
		}
		scorers = append(scorers, d, three)
	}
	for i, s := range scorers {
		t, err := mteval.Systems(ctx, s, refs, systems)
		if err != nil {
			return nil, 0, err
		}
		scores := t.Scores()
		if i == 1 {
			for k := range systems {
				scores[k] = weighted(t, k, ref.Lines)
			}
		}
		x, err := metaeval.Pearson(scores, human)
		if err != nil {
			return nil, 0, err
		}
		r = append(r, x)
	}
	return r, len(systems), nil
}

// weighted is the mean of a system's segments' scores by the references' tokens.
func weighted(t *mteval.Table, system int, ref []string) float64 {
	sum, weights := 0.0, 0.0
	var text []byte
	for i, line := range ref {
		n := 0
		text = tokenize.Each(text, tokenize.V13a, line, func([]byte) { n++ })
		sum += float64(n) * t.SegmentScore(system, i)
		weights += float64(n)
	}
	return sum / weights
}
