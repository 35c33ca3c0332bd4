package vocab

import (
	"testing"

	"pgregory.net/rapid"
)

// word draws words of all lengths about the one from which on they are not in the table, of few
// bytes, so that many are equal or nearly so, zeros among them.
func word() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		b := rapid.SliceOfN(rapid.SampledFrom([]byte("a\x00")), 0, 4).Draw(t, "ends")
		return string(b) + rapid.SampledFrom([]string{"", "", "aaaa", "aaaaa", "aaaaaaaa"}).Draw(t, "middle") + string(b)
	})
}

// A Vocab is a map that numbers words in order.
func TestAgainstMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var v Vocab
		m := map[string]uint32{}
		if got := v.Get([]byte("a")); got != 0 || v.Len() != 0 {
			t.Fatalf("an empty one has number %d, length %d", got, v.Len())
		}
		for _, w := range rapid.SliceOfN(word(), 0, 300).Draw(t, "words") {
			if got := v.Get([]byte(w)); got != m[w] || v.GetString(w) != got {
				t.Fatalf("Get(%q) = %d, want %d", w, got, m[w])
			}
			if m[w] == 0 {
				m[w] = uint32(len(m) + 1)
			}
			if got := v.Add([]byte(w)); got != m[w] || v.AddString(w) != got || v.Len() != len(m) || v.Word(got) != w {
				t.Fatalf("Add(%q) = %d, want %d", w, got, m[w])
			}
		}
		for w, id := range m {
			if got := v.Get([]byte(w)); got != id {
				t.Fatalf("Get(%q) = %d, want %d", w, got, id)
			}
		}
	})
}

// Every text is its characters' symbols, which differ where the characters do.
func TestCharacter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOfN(rapid.SampledFrom([]byte("a\xc3\xa9\xff\xe6\xbc\xa2\x00")), 0, 20).Draw(t, "text"))
		back := ""
		for i := 0; i < len(text); {
			_, symbol, w := Character(text[i:])
			if symbol == 0 || Text(symbol) != text[i:i+w] {
				t.Fatalf("%q has symbol %d, which is %q", text[i:i+w], symbol, Text(symbol))
			}
			back += Text(symbol)
			i += w
		}
		if back != text {
			t.Fatalf("%q became %q", text, back)
		}
	})
}
