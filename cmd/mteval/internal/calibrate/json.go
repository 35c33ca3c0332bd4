package calibrate

import "github.com/mteval/mteval/preference"

// calibrationJSON is the output of calibrate --format json.
type calibrationJSON struct {
	Answer string     `json:"answer"`
	Hash   string     `json:"hash"`
	Note   string     `json:"note"`
	Terms  []termJSON `json:"terms"`
	// LeftOut is what was left out at a time, "campaign" or "set"; null: there is one set, and
	// so no figures.
	LeftOut     *string             `json:"left_out"`
	Combination *validationJSON     `json:"combination"`
	Metrics     []validationJSON    `json:"metrics"`
	Sets        []preference.Judged `json:"sets"`
}

type termJSON struct {
	Metric string           `json:"metric"`
	Shape  preference.Shape `json:"shape"`
	Weight float64          `json:"weight"`
}

type validationJSON struct {
	Metric    string             `json:"metric,omitempty"`
	Signature []preference.Field `json:"signature,omitempty"`
	All       partJSON           `json:"all"`
	Clear     partJSON           `json:"clear"`
	BelowTwo  partJSON           `json:"below_two"`
	Campaigns []partJSON         `json:"campaigns"`
	Bands     []partJSON         `json:"bands"` // of |z| of the first metric
	Sets      []partJSON         `json:"sets"`
	Bins      []binJSON          `json:"bins"`
}

// partJSON has figures, or null for those of no pairs.
type partJSON struct {
	Name             string     `json:"name"`
	Sets             int        `json:"sets"`
	Pairs            int        `json:"pairs"`
	Accuracy         *float64   `json:"accuracy"`
	Interval         *rangeJSON `json:"interval"`
	Gain             *float64   `json:"gain"` // over the first metric
	GainInterval     *rangeJSON `json:"gain_interval"`
	LogLoss          *float64   `json:"log_loss"`
	Brier            *float64   `json:"brier"`
	CalibrationError *float64   `json:"calibration_error"`
	Bins             []binJSON  `json:"bins,omitempty"` // of a campaign
}

type rangeJSON struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// binJSON is a bin of confidence; of no pairs it has null.
type binJSON struct {
	From       float64  `json:"from"`
	Pairs      int      `json:"pairs"`
	Confidence *float64 `json:"confidence"`
	Right      *float64 `json:"right"`
}

func (r *calibrationResult) json() calibrationJSON {
	c := r.Calibration
	out := calibrationJSON{Answer: r.answer(), Hash: c.Hash(), Note: c.Note, Metrics: []validationJSON{}, Sets: c.Sets}
	for _, t := range c.Terms {
		out.Terms = append(out.Terms, termJSON{t.Metric.Name, t.Shape, t.Weight})
	}
	for i := range r.Figures {
		v := newValidationJSON(&r.Figures[i])
		if i == 0 {
			out.Combination = &v
			continue
		}
		out.Metrics = append(out.Metrics, v)
	}
	if r.Figures != nil {
		left := "campaign"
		if len(r.Campaigns()) == 1 {
			left = "set"
		}
		out.LeftOut = &left
	}
	return out
}

func newValidationJSON(v *preference.Validation) validationJSON {
	out := validationJSON{
		All: newPartJSON(v.All), Clear: newPartJSON(v.Clear), BelowTwo: newPartJSON(v.BelowTwo),
		Campaigns: partsJSON(v.Campaigns), Bands: partsJSON(v.Bands), Sets: partsJSON(v.Sets), Bins: binsJSON(v.All.Bins),
	}
	if v.Metric != nil {
		out.Metric, out.Signature = v.Metric.Name, v.Metric.Signature
	}
	for i, p := range v.Campaigns {
		out.Campaigns[i].Bins = binsJSON(p.Bins)
	}
	return out
}

func partsJSON(parts []preference.Part) []partJSON {
	out := []partJSON{}
	for _, p := range parts {
		out = append(out, newPartJSON(p))
	}
	return out
}

func newPartJSON(p preference.Part) partJSON {
	out := partJSON{Name: p.Name, Sets: p.Sets, Pairs: p.Pairs}
	if p.Pairs == 0 {
		return out
	}
	out.Accuracy, out.Interval = &p.Accuracy, &rangeJSON{p.Interval.Low, p.Interval.High}
	out.Gain, out.GainInterval = &p.Gain, &rangeJSON{p.GainInterval.Low, p.GainInterval.High}
	out.LogLoss, out.Brier, out.CalibrationError = &p.LogLoss, &p.Brier, &p.CalibrationError
	return out
}

func binsJSON(bins []preference.Bin) []binJSON {
	out := []binJSON{}
	for _, b := range bins {
		j := binJSON{From: b.From, Pairs: b.Pairs}
		if b.Pairs > 0 {
			j.Confidence, j.Right = &b.Confidence, &b.Right
		}
		out = append(out, j)
	}
	return out
}
