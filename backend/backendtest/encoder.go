package backendtest

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/contract"
	"github.com/mteval/mteval/internal/kit"
)

// TestEncoder checks the encoders that open returns, as Test does backends: it calls open
// more than once, closes what it got, and returns nil or an error that joins one for
// everything it found. That what Pool works on is bounded is not checked.
func TestEncoder(open func() (backend.Encoder, error), o Options) error {
	if !(o.Tolerance >= 0) {
		return fmt.Errorf("backendtest: Tolerance is %v", o.Tolerance)
	}
	if open == nil {
		return errors.New("backendtest: no open: it is nil")
	}
	e, err := open()
	if err != nil {
		return fmt.Errorf("backendtest: open: %w", err)
	}
	if contract.Nil(e) {
		return errors.New("backendtest: open returned no encoder")
	}
	t := &encoderTester{e: e, tolerance: o.Tolerance}
	t.Guard("Info", t.checkInfo)
	if len(t.List()) > 0 {
		e.Close()
		return t.Err() // a dimension that is wrong makes everything wrong
	}
	t.texts, t.long = allTexts(t.info.MaxTokens, o.Texts)
	t.checkWork(open)
	t.Guard("Close", t.checkClose)
	return t.Err()
}

// checkWork checks what an encoder does while it is open.
func (t *encoderTester) checkWork(open func() (backend.Encoder, error)) {
	ok := false
	t.Guard("Tokenize", func() { ok = t.tokenizeAll() })
	if !ok {
		return
	}
	t.checkTokenize()
	ok = false
	t.Guard("Pool", func() { ok = t.poolAll() })
	if !ok {
		return
	}
	t.checkPool()
	if t.Found("Pool", noPanic, poolFails, poolAgain, poolDirty, poolAlone) || t.Found("Tokenize", noPanic, tokenizeAlone) {
		return // as Test does: what follows would find it once more, and call it something else
	}
	t.Guard("Tokenize", t.checkTokenizeCancelled)
	t.Guard("Pool", t.checkPoolCancelled)
	t.checkConcurrent()
	t.Guard("open", func() { t.checkOther(open) })
}

// An encoderTester holds the encoder under test and what was found.
type encoderTester struct {
	e         backend.Encoder
	info      backend.EncoderInfo
	tolerance float64
	texts     []string
	long      []int              // the long ones among texts, the last ones
	whole     []backend.Sequence // of each text, as much as goes, in a call of its own
	sequences [][]int32          // their ids, and some of one token
	want      [][]float32        // the vector of each sequence under mix, in a call of its own

	kit.Findings[rule]
}

// short is how many sequences are not of long texts, the first ones.
func (t *encoderTester) short() int { return len(t.texts) - len(t.long) }

func (t *encoderTester) checkInfo() {
	t.info = t.e.Info()
	checkInfo(&t.Findings, t.info.Info)
	if i := t.info; i.MaxTokens < 3 || i.Kind == "" || i.Layers < 1 || i.Positions < 0 || i.Pad < -1 {
		t.Fail("Info", infoEncoder, "MaxTokens %d, Kind %q, Layers %d, Positions %d, Pad %d", i.MaxTokens, i.Kind, i.Layers, i.Positions, i.Pad)
	}
	t.info.Info = t.info.Clone()
	t.checkInfoAgain("again")
}

// checkInfoAgain also changes what it gets, which is the caller's.
func (t *encoderTester) checkInfoAgain(when string) {
	for range 2 {
		now := t.e.Info()
		if !sameEncoderInfo(t.info, now) {
			t.Fail("Info", infoSame, "first %+v, %s %+v", t.info, when, now)
		}
		for i := range now.Signature {
			now.Signature[i].Value += " changed"
		}
	}
}

func sameEncoderInfo(a, b backend.EncoderInfo) bool {
	return sameInfo(a.Info, b.Info) && a.Kind == b.Kind && a.Layers == b.Layers && a.Positions == b.Positions && a.Pad == b.Pad
}

// checkConcurrent mixes calls of both methods, each goroutine with texts in an order of its
// own.
func (t *encoderTester) checkConcurrent() {
	const workers = 4
	n := t.short()
	t.Together("Pool", workers, func(w int) {
		of := make([]int, n)
		for i := range of {
			of[i] = (i + w*n/workers) % n
		}
		for _, part := range [][]int{of[:n/2], of[n/2:]} {
			what := "several goroutines"
			if got, ok := t.tokenize(part, t.info.MaxTokens, what); ok {
				t.compareTokens(got, part, "Tokenize", tokenizeConcurrent, what)
			}
			if got, ok := t.pool(t.pick(part), t.mix(), what); ok {
				t.compare(got, part, "Pool", poolConcurrent, what)
			}
		}
	})
}

// checkOther opens another encoder, which must be the same, and closes it while it is in
// use.
func (t *encoderTester) checkOther(open func() (backend.Encoder, error)) {
	e, err := open()
	if err != nil {
		t.Fail("open", openAgain, "%w", err)
		return
	}
	defer e.Close()
	if info := e.Info(); !sameEncoderInfo(info, t.info) {
		t.Fail("open", openAgain, "Info is %+v, was %+v", info, t.info)
		return
	}
	other := &encoderTester{e: e, info: t.info, tolerance: t.tolerance, texts: t.texts, long: t.long, whole: t.whole, sequences: t.sequences, want: t.want}
	of, what := upTo(t.short()), "a second encoder"
	if got, ok := other.tokenize(of, t.info.MaxTokens, what); ok {
		other.compareTokens(got, of, "open", openAgain, what)
	}
	if got, ok := other.pool(t.pick(of), t.mix(), what); ok {
		other.compare(got, of, "open", openAgain, what)
	}
	other.checkCloseInUse()
	t.Join(&other.Findings)
}

// checkCloseInUse closes the encoder while it is used. Closing has to wait, or make the
// calls fail.
func (t *encoderTester) checkCloseInUse() {
	of := upTo(2)
	var wg sync.WaitGroup
	started := make(chan struct{}, 4)
	for w := range cap(started) {
		wg.Go(func() {
			signal := sync.OnceFunc(func() { started <- struct{}{} })
			defer signal()
			t.Guard("Close", func() {
				for range 1000 {
					var err error
					if w == 0 {
						var got []backend.Sequence
						if got, err = t.e.Tokenize(background, nil, []string{t.texts[0], t.texts[1]}, t.info.MaxTokens); err == nil {
							t.compareTokens(got, of, "Close", closeInUse, "Tokenize beside Close")
						}
					} else {
						var got []float32
						if got, err = t.try(background, t.pick(of), t.mix()); err == nil {
							t.compare(got, of, "Close", closeInUse, "Pool beside Close")
						}
					}
					signal()
					if err != nil {
						if !errors.Is(err, backend.ErrClosed) {
							t.Fail("Close", closeInUse, "a call beside it: error %v, want %v", err, backend.ErrClosed)
						}
						return
					}
				}
			})
		})
	}
	for range cap(started) {
		<-started
	}
	t.Guard("Close", func() {
		if err := t.e.Close(); err != nil {
			t.Fail("Close", closeFails, "the second encoder's: %w", err)
		}
	})
	wg.Wait()
}

func (t *encoderTester) checkClose() {
	const where = "Close"
	if err := t.e.Close(); err != nil {
		t.Fail(where, closeFails, "%w", err)
	}
	for range 2 {
		if err := t.e.Close(); err != nil {
			t.Fail(where, closeAgain, "%w", err)
		}
	}
	for _, texts := range [][]string{nil, slices.Clone(t.texts)} {
		if _, err := t.e.Tokenize(background, nil, texts, t.info.MaxTokens); !errors.Is(err, backend.ErrClosed) {
			t.Fail("Tokenize", tokenizeClosed, "%d texts: error %v, want %v", len(texts), err, backend.ErrClosed)
		}
	}
	for _, sequences := range [][][]int32{nil, t.sequences} {
		if _, err := t.try(background, sequences, t.mix()); !errors.Is(err, backend.ErrClosed) {
			t.Fail("Pool", poolClosed, "%d sequences: error %v, want %v", len(sequences), err, backend.ErrClosed)
		}
	}
	t.checkInfoAgain("after Close")
}

func upTo(n int) []int {
	of := make([]int, n)
	for i := range of {
		of[i] = i
	}
	return of
}
