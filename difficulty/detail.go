package difficulty

import "github.com/mteval/mteval"

// A Detail is a segment's score with what it is made of, for people to look at.
type Detail struct {
	// PRF is DA-P, DA-R and DA-F of the segment.
	mteval.PRF
	// Reference is the index of the reference that was taken.
	Reference int
	Hyp, Ref  []Part // by token
}

// A Part is a token's part of a score.
type Part struct {
	mteval.Token
	// Difficulty is what the token weighs, beside its own Weight, with all that
	// Options do to it: that of the reference token with its text for a
	// hypothesis's token, and as Options.Novel says for a novel one.
	Difficulty float64
	// Sim is the similarity to the best match, rescaled by Options.Baseline, and
	// To the index of that token on the other side: see mteval.Link.
	Sim float64
	To  int
	// Alone says that the other side has no token of this text: it is novel in a
	// hypothesis, and missed in a reference, if perhaps matched by another word.
	// It is false for tokens that weigh nothing.
	Alone bool
	// Share is what the token adds to DA-P or DA-R, which is the sum of them.
	Share float64
}

// Detail returns the score of a hypothesis of a segment in parts. It takes what
// AppendMatch does, and panics where that does.
func (s *Scorer) Detail(segment int, refs [][]mteval.Token, m *mteval.Matching) Detail {
	sc := new(scratch)
	var d Detail
	d.PRF, d.Reference = s.best(sc, segment, m)
	if len(s.refs[segment]) == 0 {
		return d
	}
	ref, pair, tokens := &s.refs[segment][d.Reference], &m.Pairings[d.Reference], refs[d.Reference]
	w := s.weighing(sc, segment, d.Reference, m)
	p, r := s.means(sc, w, ref, m.Tokens, pair)
	d.Hyp = s.parts(m.Tokens, pair.Hyp, sc.hyp, &p)
	d.Ref = s.parts(tokens, pair.Ref, w.token, &r)
	said := make(map[string]bool, len(d.Hyp))
	for i := range d.Hyp {
		t := &d.Hyp[i]
		_, has := ref.numbers[t.Text]
		t.Alone = t.Weight != 0 && !has
		said[t.Text] = said[t.Text] || t.Weight != 0
	}
	for j := range d.Ref {
		t := &d.Ref[j]
		t.Alone = t.Weight != 0 && !said[t.Text]
	}
	return d
}

func (s *Scorer) parts(tokens []mteval.Token, links []mteval.Link, weights []float64, m *mean) []Part {
	n, plain := m.divisor(&s.opt)
	out := make([]Part, len(tokens))
	for i, t := range tokens {
		p := Part{Token: t, Difficulty: weights[i], Sim: s.opt.rescale(float64(links[i].Sim)), To: int(links[i].To)}
		d := p.Difficulty
		if plain {
			d = 1
		}
		if n != 0 {
			p.Share = float64(t.Weight) * d * p.Sim / n
		}
		if s.opt.AddPlain && m.tokens != 0 {
			p.Share = (p.Share + float64(t.Weight)*p.Sim/m.tokens) / 2
		}
		out[i] = p
	}
	return out
}
