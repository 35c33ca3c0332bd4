package report

// An Answer is what a page found, in a sentence or two, and a picture of it.
type Answer struct {
	Text string
	// Details stand under it, a paragraph each.
	Details []string
	// Bars are the picture: who is ahead, how sure that is, and which groups can't be told
	// apart. Nil is none.
	Bars *Bars
}
