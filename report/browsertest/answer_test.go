package browsertest

import (
	"encoding/json"
	"testing"
)

// A page begins with the answer that JSON has.
func TestAnswer(t *testing.T) {
	each(t, func(t *testing.T, p *page) {
		b := start(t)
		b.open(p.path, "")
		var want struct {
			Answer string `json:"answer"`
		}
		if err := json.Unmarshal(p.json, &want); err != nil {
			t.Fatal(err)
		}
		if got := b.text("#answer .sentence"); got != want.Answer || got == "" {
			t.Errorf("the page answers %q, json %q", got, want.Answer)
		}
		// Nothing stands before it but the title.
		if got := get[string](b, `document.querySelector("main").firstElementChild.id`); got != "answer" {
			t.Errorf("the page begins with %q", got)
		}
	})
}
