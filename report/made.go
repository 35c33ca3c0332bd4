package report

// A Made is one thing that a page rests on. Name can be "". Those without one stand first.
type Made struct{ Name, Text string }

const madeTitle = "How this was made"

type madeView struct {
	Title string
	Plain []string
	Named []Made
}

func newMade(all []Made) *madeView {
	if len(all) == 0 {
		return nil
	}
	v := &madeView{Title: madeTitle}
	for _, m := range all {
		if m.Name == "" {
			v.Plain = append(v.Plain, clean(m.Text))
		} else {
			v.Named = append(v.Named, Made{clean(m.Name), clean(m.Text)})
		}
	}
	return v
}
