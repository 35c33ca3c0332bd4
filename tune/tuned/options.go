package tuned

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mteval/mteval"
)

// An OptionsError says that parameters were fitted with other options than those of the scorer
// that they are for: with other words, say, or for another language.
type OptionsError struct {
	Metric string
	// Fitted are the fields of the signature that parameters were fitted with and that the
	// scorer does not have so, and Given the scorer's of the same keys. One that a side has not
	// is of value "".
	Fitted, Given mteval.Signature
}

// Error names the fields.
func (e *OptionsError) Error() string {
	var parts []string
	for i, f := range e.Fitted {
		given := mteval.Field{Key: f.Key}
		if i < len(e.Given) {
			given = e.Given[i]
		}
		parts = append(parts, told(f)+", here "+told(given))
	}
	return fmt.Sprintf("tuned: parameters of %s were fitted with %s: use the options that they were fitted with", e.Metric, strings.Join(parts, "; "))
}

func told(f mteval.Field) string {
	if f.Value == "" {
		return "no " + f.Key
	}
	return f.Key + ":" + f.Value
}

// checkOptions compares the signature that was written with that of a scorer before and after
// it got the parameters. What these change is not looked at: somebody may have rounded them.
func (r *Result) checkOptions(before, after mteval.Signature) error {
	if r.Signature == "" {
		return nil
	}
	e := &OptionsError{Metric: r.Metric}
	fitted := parseSignature(r.Signature)
	keys := slices.Clone(fitted)
	for _, f := range after {
		if !slices.ContainsFunc(fitted, func(g mteval.Field) bool { return g.Key == f.Key }) {
			keys = append(keys, f)
		}
	}
	for _, f := range keys {
		was, is := fitted.Get(f.Key), after.Get(f.Key)
		if was == is || before.Get(f.Key) != is {
			continue
		}
		e.Fitted = append(e.Fitted, mteval.Field{Key: f.Key, Value: was})
		e.Given = append(e.Given, mteval.Field{Key: f.Key, Value: is})
	}
	if e.Fitted == nil {
		return nil
	}
	return e
}

// with is the signature for an error, if it is known.
func (r *Result) with() string {
	if r.Signature == "" {
		return ""
	}
	return " (" + r.Signature + ")"
}

// parseSignature reads the long form of a signature.
func parseSignature(s string) mteval.Signature {
	var out mteval.Signature
	for part := range strings.SplitSeq(s, "|") {
		key, value, _ := strings.Cut(part, ":")
		out = append(out, mteval.Field{Key: key, Value: value})
	}
	return out
}
