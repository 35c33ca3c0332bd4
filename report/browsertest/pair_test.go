package browsertest

import "fmt"

// beside sets two systems side by side.
func (b *browser) beside(left, right int) {
	b.t.Helper()
	b.choose("seg-a", fmt.Sprint(left))
	b.choose("seg-b", fmt.Sprint(right))
	b.wait(`document.querySelector("#seg-cards .filled .pair")`)
}

// choose chooses a value of a select.
func (b *browser) choose(id, value string) {
	b.t.Helper()
	get[bool](b, fmt.Sprintf(`(() => { const s = document.getElementById(%q); s.value = %q; s.dispatchEvent(new Event("change", {bubbles: true})); return true; })()`, id, value))
}
