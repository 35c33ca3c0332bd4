package study

import "github.com/mteval/mteval/study"

type studyJSON struct {
	Answer   string       `json:"answer"`
	Systems  []judgedJSON `json:"systems"` // best first
	Segments int          `json:"segments"`
	Chance   []chanceJSON `json:"chance"`
	Metrics  []curveJSON  `json:"metrics"`
	Tests    string       `json:"tests"`
	Warnings []string     `json:"warnings,omitempty"`
}

type judgedJSON struct {
	System string  `json:"system"`
	Human  float64 `json:"human"`
}

type chanceJSON struct {
	K        int     `json:"k"`
	Rankings float64 `json:"rankings"`
	Step     float64 `json:"kendall_step"`
	// Least is null where no order is beyond chance.
	Least *float64 `json:"kendall_beyond_chance"`
}

type curveJSON struct {
	Metric        string      `json:"metric"`
	Difficulty    string      `json:"difficulty,omitempty"`
	LeaveOneOut   bool        `json:"leave_one_out,omitempty"`
	LowerIsBetter bool        `json:"lower_is_better"` // a form's is its metric's
	Signature     string      `json:"signature"`
	Curve         []pointJSON `json:"curve"`
	// Verdicts by coefficient.
	Verdicts map[string]verdictJSON `json:"verdicts,omitempty"`
}

type pointJSON struct {
	K           int                      `json:"k"`
	Scores      []float64                `json:"scores"` // of the K best systems
	Correlation map[string]agreementJSON `json:"correlation"`
}

type agreementJSON struct {
	Value      *float64           `json:"value"`
	Segments   sampleIntervalJSON `json:"segments"`
	Systems    sampleIntervalJSON `json:"systems"`
	Difference *differenceJSON    `json:"difference,omitempty"`
}

type sampleIntervalJSON struct {
	Low       *float64 `json:"low"`
	High      *float64 `json:"high"`
	Undefined int      `json:"undefined"`
}

type differenceJSON struct {
	Value    float64            `json:"value"`
	Segments sampleIntervalJSON `json:"segments"`
	Systems  sampleIntervalJSON `json:"systems"`
	P        *float64           `json:"p"`
	Holm     *float64           `json:"p_holm"`
	Perm     *float64           `json:"p_perm"`
	// PermDifference is that of the means of segments' scores, which Perm is of.
	PermDifference *float64 `json:"perm_difference"`
}

// verdictJSON is a study.Verdict.
type verdictJSON struct {
	Better              int     `json:"better"`
	Same                int     `json:"same"`
	Worse               int     `json:"worse"`
	Mean                float64 `json:"mean_difference"`
	SignificantlyBetter []int   `json:"significantly_better"`
	SignificantlyWorse  []int   `json:"significantly_worse"`
}

func newSampleIntervalJSON(in study.Interval) sampleIntervalJSON {
	out := sampleIntervalJSON{Undefined: in.Undefined}
	if in.Defined > 0 {
		out.Low, out.High = &in.Low, &in.High
	}
	return out
}

func newAgreementJSON(a study.Agreement) agreementJSON {
	out := agreementJSON{Value: a.Value, Segments: newSampleIntervalJSON(a.Segments), Systems: newSampleIntervalJSON(a.Systems)}
	if d := a.Difference; d != nil {
		out.Difference = &differenceJSON{Value: d.Value, Segments: newSampleIntervalJSON(d.Segments), Systems: newSampleIntervalJSON(d.Systems), P: d.P, Holm: d.Holm}
		if d.Perm != nil {
			difference := d.Perm.X - d.Perm.Y
			out.Difference.Perm, out.Difference.PermDifference = &d.Perm.P, &difference
		}
	}
	return out
}

func (p *studyPage) json() studyJSON {
	out := studyJSON{Answer: p.answer(), Segments: p.result.Segments, Tests: p.result.Signature.String(), Warnings: p.warnings}
	for _, s := range p.result.Systems {
		out.Systems = append(out.Systems, judgedJSON{s.System, s.Score})
	}
	for _, c := range p.result.Chance {
		out.Chance = append(out.Chance, chanceJSON{c.K, c.Orders, c.Step, c.Least})
	}
	lower := false
	for _, c := range p.result.Curves {
		if c.Table != nil { // of a form there is none
			lower = c.Table.Info.LowerIsBetter
		}
		j := newCurveJSON(c, p.options.alpha)
		j.LowerIsBetter = lower
		out.Metrics = append(out.Metrics, j)
	}
	return out
}

func newCurveJSON(c *study.Curve, alpha float64) curveJSON {
	out := curveJSON{Metric: c.Metric, Signature: c.Signature.String()}
	out.Difficulty, out.LeaveOneOut = formNames(c)
	for _, p := range c.Points {
		at := pointJSON{K: p.K, Scores: p.Scores, Correlation: make(map[string]agreementJSON)}
		for _, f := range coefficients {
			at.Correlation[f.key] = newAgreementJSON(p.Agreements[f.of])
		}
		out.Curve = append(out.Curve, at)
	}
	for _, f := range coefficients {
		if v := c.Verdict(f.of, alpha); v != nil {
			if out.Verdicts == nil {
				out.Verdicts = make(map[string]verdictJSON)
			}
			out.Verdicts[f.key] = verdictJSON(*v)
		}
	}
	return out
}
