package lines

import (
	"slices"
	"testing"
)

func TestSkipBlank(t *testing.T) {
	for _, tt := range []struct{ texts, want []string }{
		{nil, nil},
		{[]string{" "}, []string{" "}},
		{[]string{"a", "", "b", "\t "}, []string{"a", "b"}},
		{[]string{" ", ""}, []string{""}},
	} {
		if got := SkipBlank(slices.Clone(tt.texts)); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.texts, got, tt.want)
		}
	}
}
