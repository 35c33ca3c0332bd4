package scorertest

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/mteval/mteval"
)

const prepareSources = "PrepareSources"

// withSources is a SourceScorer with sources that the kit makes of the references, so that
// all that it checks of a Scorer is checked of this one.
type withSources struct {
	mteval.SourceScorer
	t *tester
}

func (s withSources) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err // else it may be none where it reads no reference
	}
	sources := sourcesOf(refs)
	kept := slices.Clone(sources)
	p, err := s.PrepareSources(ctx, sources, refs)
	if !slices.Equal(sources, kept) {
		s.t.Fail(prepareSources, sourceInput, "%.60q became %.60q", kept, sources)
	}
	for i := range sources {
		sources[i] = "overwritten after the call"
	}
	return p, err
}

// sourced is s with sources, if it reads any.
func (t *tester) sourced(s mteval.Scorer) mteval.Scorer {
	if s, ok := s.(mteval.SourceScorer); ok {
		return withSources{s, t}
	}
	return s
}

// sourcesOf makes a source of each segment's first reference.
func sourcesOf(refs [][]string) []string {
	out := make([]string, len(refs))
	for i, r := range refs {
		words := strings.Fields(r[0])
		slices.Reverse(words)
		out[i] = strings.Join(words, " ")
	}
	return out
}

// checkSources checks what is said of sources alone.
func (t *tester) checkSources(s mteval.SourceScorer) {
	in := s.Inputs()
	if in.Sources == mteval.Unused && in.References != mteval.Required || max(in.Sources, in.References) > mteval.Required {
		t.Fail("Inputs", sourceInputs, "it is %+v", in)
		return
	}
	if again := s.Inputs(); again != in {
		t.Fail("Inputs", infoSame, "first %+v, then %+v", in, again)
	}
	refs := cloneRefs(t.refs)
	sources := sourcesOf(refs)
	if _, err := s.Prepare(background, refs); in.Sources == mteval.Required && !errors.Is(err, mteval.ErrNoSource) {
		t.Fail("Prepare", sourceNone, "sources are Required: %v", err)
	} else if in.Sources != mteval.Required && err != nil {
		t.Fail("Prepare", sourceNone, "sources are not Required: %v", err)
	}
	if in.References != mteval.Unused {
		if _, err := s.PrepareSources(background, sources[1:], refs); !errors.Is(err, mteval.ErrLength) {
			t.Fail(prepareSources, sourceLength, "%d sources, %d segments of references: %v", len(sources)-1, len(refs), err)
		}
	}
	if in.Sources == mteval.Unused {
		with := t.rowsWith(s, sources, refs)
		without, err := t.rowsOf(s.Prepare(background, refs))
		if err == nil && with != nil && !sameBits(with, without) {
			t.Fail(prepareSources, sourceNone, "rows differ between no sources, and some that it does not read")
		}
	}
	none := make([][]string, len(refs))
	if in.References == mteval.Required {
		if _, err := s.PrepareSources(background, sources, none); !errors.Is(err, mteval.ErrNoReference) {
			t.Fail(prepareSources, sourceReferences, "references are Required, and a segment has none: %v", err)
		}
		return
	}
	want := t.rowsWith(s, sources, nil)
	t.sameRows("no references, and segments without any", want, t.rowsWith(s, sources, none))
	if in.References == mteval.Unused {
		t.sameRows("no references, and some that it does not read", want, t.rowsWith(s, sources, refs))
	}
}

// rowsWith are the rows of the kit's hypotheses; nil if that is an error.
func (t *tester) rowsWith(s mteval.SourceScorer, sources []string, refs [][]string) []float64 {
	p, err := s.PrepareSources(background, sources, refs)
	if err != nil {
		t.Fail(prepareSources, sourceReferences, "%d sources, %d segments of references: %w", len(sources), len(refs), err)
		return nil
	}
	rows, err := t.rowsOf(p, nil)
	if err != nil {
		t.Fail("Append", callFails, "of sources: %w", err)
		return nil
	}
	return rows
}

// rowsOf are the rows of the kit's hypotheses, if there is no error already.
func (t *tester) rowsOf(p mteval.Prepared, err error) ([]float64, error) {
	if err != nil {
		return nil, err
	}
	return p.Append(background, nil, nil, t.hyps)
}

func (t *tester) sameRows(what string, a, b []float64) {
	if a != nil && b != nil && !sameBits(a, b) {
		t.Fail(prepareSources, sourceReferences, "rows differ between %s", what)
	}
}
