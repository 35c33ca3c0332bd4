package files

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/mteval/mteval/internal/grid"
	"github.com/mteval/mteval/internal/jsonline"
	"github.com/mteval/mteval/metaeval"
)

// cometMetric is what scores are called that comet-score wrote: it does not say of which model
// they are.
const cometMetric = "COMET"

// filled puts values into the cells of a grid, of which none may have two.
func filled(name string, g *grid.Grid, values []float64, at []int) (*metaeval.Scores, error) {
	if err := g.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	out := metaeval.NewScores(g.Systems.Names, g.Items.Names)
	lineOf := make([]int, len(out.Values))
	for k, v := range values {
		c := g.At(k)
		if lineOf[c] > 0 {
			return nil, second(name, at[k], lineOf[c], g, k)
		}
		out.Values[c], lineOf[c] = v, at[k]
	}
	return out, nil
}

// cometSystems are systems whose files comet-score names, called as elsewhere.
func cometSystems(files []string) []string {
	names := SystemNames(files)
	seen := make(map[string]bool)
	for _, n := range names {
		if seen[n] {
			return files
		}
		seen[n] = true
	}
	return names
}

// A document is a JSON value of many lines.
type document struct {
	name string
	at   int // line of the first
	text []byte
}

// readDocument reads the rest of a file.
func readDocument(s *source) (*document, error) {
	d := &document{name: s.name, at: s.at}
	for {
		line, _, err := s.next()
		if errors.Is(err, io.EOF) {
			return d, nil
		}
		if err != nil {
			return nil, err
		}
		d.text = append(append(d.text, line...), '\n')
	}
}

// decode is json.Unmarshal of the part of the document from a byte on. Its error has the line.
func (d *document) decode(from int64, part []byte, v any) error {
	err := json.Unmarshal(part, v)
	if err == nil {
		return nil
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		from += syntax.Offset - 1
	case errors.As(err, &kind):
		from += kind.Offset - 1
		err = fmt.Errorf("%s, where a %s is wanted", kind.Value, kind.Type)
	}
	return d.errorf(from, "%w", err)
}

func (d *document) errorf(offset int64, format string, args ...any) error {
	offset = max(0, min(offset, int64(len(d.text))))
	return &LineError{d.name, d.at + bytes.Count(d.text[:offset], []byte("\n")), fmt.Errorf(format, args...)}
}

// A member of an object, and the byte where its value begins.
type member struct {
	key   string
	at    int64
	value json.RawMessage
}

// fields decodes a member into structs.
func (d *document) fields(m member, v any) error {
	if err := d.decode(m.at, m.value, v); err != nil {
		return err
	}
	if err := jsonline.CheckKeys(string(m.value), v); err != nil {
		return d.errorf(m.at, "%w", err)
	}
	return nil
}

// members are those of the document's object, in their order.
func (d *document) members() ([]member, error) {
	var object map[string]json.RawMessage
	if err := d.decode(0, d.text, &object); err != nil {
		return nil, err
	}
	in := json.NewDecoder(bytes.NewReader(d.text))
	if _, err := in.Token(); err != nil { // {
		return nil, d.errorf(0, "%w", err)
	}
	var out []member
	seen := make(map[string]bool)
	for in.More() {
		key, err := in.Token()
		if err != nil {
			return nil, d.errorf(in.InputOffset(), "%w", err)
		}
		m := member{key: key.(string)}
		if seen[m.key] {
			return nil, d.errorf(in.InputOffset(), "%q stands here a second time", m.key)
		}
		seen[m.key] = true
		if err := in.Decode(&m.value); err != nil {
			return nil, d.errorf(in.InputOffset(), "%w", err)
		}
		m.at = in.InputOffset() - int64(len(m.value))
		out = append(out, m)
	}
	return out, nil
}

// jsonForms are the JSON that [ReadMetrics] reads.
const jsonForms = "JSON lines with a prediction (MetricX), comet-score --to_json, comet-compare --to_json, and mteval score or rank --format json"

// parseCometJSON reads what comet-score --to_json writes, an object with a list of segments for
// each system, or comet-compare --to_json.
func parseCometJSON(s *source) ([]MetricScores, error) {
	d, err := readDocument(s)
	if err != nil {
		return nil, err
	}
	all, err := d.members()
	if err != nil {
		return nil, err
	}
	s.numbering.form = counted
	if ours, err := d.ours(all); ours != nil || err != nil {
		return ours, err
	}
	var names []string
	var scores [][]*float64
	compared := slices.IndexFunc(all, func(m member) bool { return m.key == "translations" })
	if compared >= 0 {
		var systems []struct {
			Name   string     `json:"name"`
			Scores []*float64 `json:"scores"`
		}
		if err := d.fields(all[compared], &systems); err != nil {
			return nil, err
		}
		called := make(map[string]bool)
		for _, x := range systems {
			if called[x.Name] {
				return nil, d.errorf(all[compared].at, "two systems are called %q", x.Name)
			}
			called[x.Name] = true
			names, scores = append(names, x.Name), append(scores, x.Scores)
		}
	} else {
		for _, m := range all {
			var segments []struct {
				COMET *float64
				Src   json.RawMessage `json:"src"`
				Mt    json.RawMessage `json:"mt"`
				Ref   json.RawMessage `json:"ref"`
			}
			if err := d.fields(m, &segments); err != nil {
				return nil, fmt.Errorf("%w: it is none of %s", err, jsonForms)
			}
			row := make([]*float64, len(segments))
			for i, x := range segments {
				row[i] = x.COMET
				item := strconv.Itoa(i + 1)
				s.addJSONText(sourceText, "", item, x.Src, 0)
				s.addJSONText(referenceText, "", item, x.Ref, 0)
				s.addJSONText(outputText, SystemName(m.key), item, x.Mt, 0)
			}
			names, scores = append(names, m.key), append(scores, row)
		}
	}
	out, err := d.scores(names, scores)
	if err != nil {
		return nil, err
	}
	return []MetricScores{{Name: cometMetric, Scores: out}}, nil
}

// scores makes a table of lists that all systems have.
func (d *document) scores(names []string, lists [][]*float64) (*metaeval.Scores, error) {
	n := 0
	for k, list := range lists {
		if n = len(lists[0]); len(list) != n {
			return nil, fmt.Errorf("%s: %s has %d segments, %s has %d", d.name, names[0], n, names[k], len(list))
		}
	}
	if slices.Contains(names, "") {
		return nil, fmt.Errorf("%s: a system has an empty name", d.name)
	}
	out := metaeval.NewScores(cometSystems(names), numbered(n))
	some := false
	for k, list := range lists {
		for i, v := range list {
			if v == nil {
				continue
			}
			if math.Abs(*v) > maxScore() {
				return nil, fmt.Errorf("%s: the score of %s on segment %d is %v, beyond ±%v", d.name, names[k], i+1, *v, maxScore())
			}
			out.Set(k, i, *v)
			some = true
		}
	}
	if !some {
		return nil, fmt.Errorf("%s: no scores in it: it is none of %s", d.name, jsonForms)
	}
	return out, nil
}
