// Package comet is COMET (Rei et al., EMNLP 2020; Rei et al., WMT 2022), a metric learned from
// people's judgements: an encoder's vectors of source, hypothesis and reference go through a
// small network that was trained to give the score. It runs the checkpoints of unbabel-comet
// without Python, and gives the scores of its version 2.2.7's predict in float32.
//
// Open opens a model's folder, DIR/hparams.yaml and DIR/checkpoints/model.ckpt, of one of
// three classes:
//
//   - regression_metric (wmt22-comet-da, wmt20-comet-da) reads sources and references;
//   - referenceless_regression_metric (wmt20-comet-qe-da) reads sources alone;
//   - unified_metric (wmt22-cometkiwi-da) joins the hypothesis with the source, the
//     reference, or both, as its input_segments say. One that reads both takes the mean of
//     three passes, with the source, with the reference, and with both; of a segment without
//     references, or where no sources are given, there is the one pass that is left. (There,
//     what the first segment of a batch has decides for all of it.)
//
// XCOMET (xcomet_metric), its spans of errors, and ranking_metric are not there. Of encoders
// there are those of the program's XLM-RoBERTa, BERT and MiniLM; for unified models not BERT.
//
// What the program does is followed also where it surprises:
//
//   - Of hparams.yaml the class counts alone; other settings are those inside the checkpoint,
//     and, where it has none, the class's defaults. Where the file says something else, Notes
//     tells. The one exception is layer_transformation sparsemax_patch there, which means
//     softmax whatever the checkpoint says.
//   - A text of more tokens than the encoder has positions, less 2, is cut to its beginning,
//     and so are joined texts: see Options.OnCut.
//   - White space around a text is left to the tokenizer: unbabel-comet's command strips
//     lines, its predict does not.
//   - Scores have no bounds unless the model ends in a Sigmoid.
//
// It differs in this: a weight that is missing is an error (there it stays random); a score
// does not depend on the batch (there by some 1e-7); a segment with several references, of
// which the program takes one, has the mean of the scores with each. A system's score is the
// mean of its segments'.
package comet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/transformer"
)

// Options of Open. The zero value is for a model whose encoder's folder lies beside it, and
// refuses texts that are too long.
type Options struct {
	// Encoder is the folder of config.json and tokenizer.json of the encoder that the model
	// was made of, such as that of xlm-roberta-large; its weights are not needed. "" is the
	// folder of its name that lies in the model's or beside it, or what FindEncoder finds.
	Encoder string
	// FindEncoder returns the folder of the encoder of this name, the checkpoint's
	// pretrained_model, such as "xlm-roberta-large". It is asked where there is no folder of
	// this name in the model's or beside it; nil: then it is an error.
	FindEncoder func(name string) (dir string, err error)
	// OpenEncoder opens the encoder, such as by libtorch.OpenEncoder, or with cache.NewEncoder
	// around it; nil is transformer.OpenEncoder.
	OpenEncoder func(backend.EncoderFiles) (backend.Encoder, error)
	// OnCut is called for every text of which only the beginning is scored: one that is too
	// long by itself, once in a call, and for unified models also a hypothesis that is so
	// together with its source or reference. It must be safe for concurrent use. If it is nil
	// such a text is an error that wraps backend.ErrTruncated.
	OnCut func(text string)
	// Workers bounds the goroutines; not positive: GOMAXPROCS. Results do not depend on it.
	Workers int
}

// Scorer is a COMET model. It implements mteval.SourceScorer; a row is the score and 1. It is
// made with Open.
type Scorer struct {
	o        Options
	set      *settings
	notes    []string
	encoder  backend.Encoder
	info     backend.EncoderInfo
	head     *head
	mix      backend.Mix
	bos, eos int32
	// The most tokens of a text, and of texts that are joined.
	longest, joined int
	sig             mteval.Signature
	calls           sync.Pool // *call
}

var _ mteval.SourceScorer = (*Scorer)(nil)

const width = 2

// made is an error for a scorer that Open did not make.
func (s *Scorer) made() error {
	if s.encoder == nil {
		return errors.New("comet: a Scorer that Open did not make")
	}
	return nil
}

// Close gives the model's memory back, once calls of other methods have ended.
func (s *Scorer) Close() error {
	if s.encoder == nil {
		return nil
	}
	return s.encoder.Close()
}

// Notes are what is to be known of the model's files: settings of hparams.yaml that do not
// count, and weights that are not used.
func (s *Scorer) Notes() []string { return slices.Clone(s.notes) }

// Info describes the scorer. The signature has the hashes of the checkpoint, of the encoder's
// config.json and of its tokenizer; the type of numbers; the class; how layers are mixed,
// "softmax(sparsemax_patch)" being what the patch in hparams.yaml makes of any; and the most
// tokens of a text, and after a plus sign of joined ones.
func (s *Scorer) Info() mteval.Info {
	return mteval.Info{Name: "comet", Signature: s.sig, Scale: 1}
}

func (s *Scorer) signature() mteval.Signature {
	layers := "softmax"
	switch {
	case s.set.pool == "default":
		layers = "last"
	case s.set.layer != mix:
		layers = strconv.Itoa(s.set.layer)
	case s.set.sparse:
		layers = "sparsemax"
	case s.set.patched:
		layers = "softmax(" + patch + ")"
	}
	longest := strconv.Itoa(s.longest)
	if s.set.class == unified {
		longest += "+" + strconv.Itoa(s.joined)
	}
	return append(slices.Clone(s.info.Signature),
		mteval.Field{Key: "class", Abbr: "cls", Value: s.set.class},
		mteval.Field{Key: "layers", Abbr: "L", Value: layers},
		mteval.Field{Key: "max", Abbr: "x", Value: longest})
}

// Width is the length of a row.
func (s *Scorer) Width() int { return width }

// Score returns the mean of the rows that were added up, 0 of none.
func (s *Scorer) Score(row []float64) float64 {
	mteval.CheckRow(row, width)
	if row[1] == 0 {
		return 0
	}
	return row[0] / row[1]
}

// Inputs says what the model reads: see the package's documentation.
func (s *Scorer) Inputs() mteval.Inputs {
	in := mteval.Inputs{Sources: mteval.Required, References: mteval.Required}
	if s.set == nil {
		return in
	}
	switch s.set.class {
	case referenceless:
		in.References = mteval.Unused
	case unified:
		switch {
		case s.set.reads("src") && s.set.reads("ref"):
			in = mteval.Inputs{Sources: mteval.Optional, References: mteval.Optional}
		case s.set.reads("src"):
			in.References = mteval.Unused
		default:
			in.Sources = mteval.Unused
		}
	}
	return in
}

// Prepare is an error that wraps mteval.ErrNoSource where the model needs sources.
func (s *Scorer) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	if err := s.made(); err != nil {
		return nil, err
	}
	if s.Inputs().Sources == mteval.Required {
		return nil, s.noSource()
	}
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	p, err := s.prepare(ctx, nil, refs)
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (s *Scorer) noSource() error {
	return fmt.Errorf("comet: %w: a %s reads sources: give them to PrepareSources, or mteval.WithSources", mteval.ErrNoSource, s.set.class)
}

// PrepareSources embeds the sources and references that the model reads, equal texts once.
func (s *Scorer) PrepareSources(ctx context.Context, sources []string, refs [][]string) (mteval.Prepared, error) {
	if err := s.made(); err != nil {
		return nil, err
	}
	in := s.Inputs()
	if err := mteval.CheckSources(in, sources, refs); err != nil {
		return nil, err
	}
	if in.References == mteval.Unused || refs == nil {
		refs = make([][]string, len(sources))
	}
	if in.Sources == mteval.Unused {
		sources = nil
	}
	p, err := s.prepare(ctx, sources, refs)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// openEncoder opens an encoder in Go.
func openEncoder(workers int) func(backend.EncoderFiles) (backend.Encoder, error) {
	return func(f backend.EncoderFiles) (backend.Encoder, error) {
		return transformer.OpenEncoder(f, transformer.EncoderOptions{Workers: workers})
	}
}
