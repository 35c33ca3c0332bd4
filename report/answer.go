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

type answerView struct {
	Text    string
	Details []string
	Figure  *figureView
}

// Empty is whether there is nothing to show.
func (v answerView) Empty() bool { return v.Text == "" && len(v.Details) == 0 && v.Figure == nil }

func (a *Answer) view() (answerView, error) {
	v := answerView{Text: clean(a.Text), Details: cleanAll(a.Details)}
	if a.Bars == nil {
		return v, nil
	}
	f, err := newFigure("answer-figure", a.Bars.Title, a.Bars)
	v.Figure = &f
	return v, err
}
