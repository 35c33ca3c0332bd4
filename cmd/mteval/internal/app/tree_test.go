package app

import (
	"slices"
	"testing"
)

// Documents of two domains that have one name are two.
func TestDocumentNames(t *testing.T) {
	got := DocumentNames([]string{"news", "news", "chat", "chat"}, []string{"1", "2", "1", "3"})
	if want := []string{"news/1", "2", "chat/1", "3"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
