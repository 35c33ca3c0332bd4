package fold

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/tokenize"
)

// keeper is a tokenizer that keeps its lines, which can't be compared.
type keeper struct{ lines map[string]bool }

func (keeper) Name() string { return "keeper" }

func (k keeper) Append(dst []byte, line string) []byte {
	k.lines[line] = true
	return append(dst, line...)
}

// Whatever was there before, a line is tokenize.Lower's, and those that another's tokenizer
// has seen stay what they were.
func TestLower(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l Line
		k := keeper{map[string]bool{}}
		want := map[string]bool{}
		texts := rapid.SliceOfN(rapid.OneOf(rapid.String(), rapid.StringMatching(`[abAB ]{0,9}`), rapid.StringMatching(`[ΣAİ' ]{0,9}`)), 1, 5)
		for _, line := range texts.Draw(t, "lines") {
			lower := tokenize.Lower(line)
			want[lower] = true
			if got := l.Lower(line); got != lower {
				t.Fatalf("%q: %q, want %q", line, got, lower)
			}
			for _, tok := range []tokenize.Tokenizer{tokenize.None, k, tokenize.Tercom{}, nil} {
				got := l.LowerFor(tok, line)
				if got != lower {
					t.Fatalf("%q for %T: %q, want %q", line, tok, got, lower)
				}
				if tok != nil {
					tok.Append(nil, got)
				}
			}
		}
		if len(k.lines) != len(want) {
			t.Fatalf("kept %v, want %v", k.lines, want)
		}
		for line := range want {
			if !k.lines[line] {
				t.Fatalf("kept %v, without %q", k.lines, line)
			}
		}
	})
}

func TestNoAllocations(t *testing.T) {
	if race.Enabled {
		t.Skip("allocations can't be counted with the race detector on")
	}
	var l Line
	for _, line := range []string{"lower", "ASCII", "Müller ΣΑΣ", "İİİİ"} {
		if n := testing.AllocsPerRun(10, func() { l.LowerFor(tokenize.V13a, line) }); n > 0 {
			t.Errorf("%q: %v allocations", line, n)
		}
	}
}

func BenchmarkLower(b *testing.B) {
	for name, line := range map[string]string{
		"ascii": "The new bridge, which cost 4.5 million, opens at 10 o'clock, and Nobody told the Baker.",
		"latin": "Der Müller hörte das Rad und wusste, dass der Bach gestiegen war, und Über dem Fluß lag Nebel.",
		"greek": "Ο μυλωνάς άκουσε τον τροχό και κατάλαβε ότι το ρέμα είχε φουσκώσει. Ο ΟΔΥΣΣΕΑΣ ΕΦΥΓΕ.",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var l Line
			for b.Loop() {
				l.Lower(line)
			}
		})
		b.Run(name+"-string", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				tokenize.Lower(line)
			}
		})
	}
}
