package browsertest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
)

// A button copies how the page was made: what is pasted afterwards has the signatures of json.
func TestCopy(t *testing.T) {
	b := start(t)
	p := of(t, "score")
	b.open(p.path, "")
	var r struct {
		Results []struct {
			Signature string `json:"signature"`
		} `json:"results"`
	}
	if err := json.Unmarshal(p.json, &r); err != nil {
		t.Fatal(err)
	}
	b.click("#made button")
	b.wait(`document.querySelector("#made [role=status]").textContent !== ""`)
	if got := b.text("#made [role=status]"); got != "Copied" {
		t.Errorf("the page says %q", got)
	}
	get[bool](b, `(() => { const f = document.createElement("textarea"); f.id = "pasted"; document.body.append(f); f.focus(); return true; })()`)
	call(b, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Commands: []string{"paste"}})
	got := get[string](b, `document.getElementById("pasted").value`)
	if len(r.Results) == 0 {
		t.Error("json has no results")
	}
	for _, m := range r.Results {
		if m.Signature == "" || !strings.Contains(got, m.Signature) {
			t.Errorf("%q is pasted, without %q", got, m.Signature)
		}
	}
	if want := strings.Join(strings.Fields(b.text("#made .made")), ""); strings.ReplaceAll(strings.Join(strings.Fields(got), ""), ":", "") != strings.ReplaceAll(want, ":", "") {
		t.Errorf("%q is pasted, the page has %q", got, want)
	}
}
