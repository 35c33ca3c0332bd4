package lookalike

import (
	"testing"

	"pgregory.net/rapid"
)

func TestSpell(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "plain": "plain", "caf\u00e9": "caf\u00e9", "cafe\u0301 caf\u00e9": `cafe\u0301 ` + "caf\u00e9", "\u212b": `\u212b`,
		"\u1112\u1161\u11ab": `\u1112\u1161\u11ab`, "日本語": "日本語", "x\u0315\u0300": `x\u0315\u0300`, "\U0001d15e": `\U0001d15e`,
		"か\u3099x": `\u304b\u3099x`,
	} {
		if got := Spell(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func TestTwin(t *testing.T) {
	among := []string{"cafe", "caf\u00e9", "cafe\u0301", "\u212b", "caf\u00e9"}
	for name, want := range map[string]string{"cafe": "", "caf\u00e9": "cafe\u0301", "cafe\u0301": "caf\u00e9", "\u00c5": "\u212b", "A\u030a": "\u212b", "x\u00e9": ""} {
		if got, ok := Twin(name, among); got != want || ok != (want != "") {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// Of two names that are shown alike, Spell shows a difference, unless both are spelled: then they
// differ in these.
func TestSpellDiffers(t *testing.T) {
	name := rapid.StringOf(rapid.SampledFrom([]rune("ae\u00e9\u0301\u0315\u212b\u00c5A\u030aか\u3099が")))
	rapid.Check(t, func(t *rapid.T) {
		a, b := name.Draw(t, "a"), name.Draw(t, "b")
		if a != b && Form(a) == Form(b) && Form(Spell(a)) == Form(Spell(b)) {
			t.Fatalf("%q and %q are %q", a, b, Spell(a))
		}
	})
}
