package files

import (
	"context"
	"fmt"
	"io"

	"github.com/mteval/mteval/human"
)

// ReadMQM reads the errors that judges marked, a table with tabs and a header that calls
// columns system, doc, doc_id, seg_id, rater, source, target, category and severity, in
// any order, as in Google's files of WMT's MQM evaluations. Other columns are passed over.
// The file may be gzipped; "-" is standard input.
func ReadMQM(r io.Reader, name string, o Options) ([]human.MQMError, error) {
	return read(r, name, o, table(parseMQM))
}

// OpenMQM is [ReadMQM] of a file.
func OpenMQM(ctx context.Context, path string, o Options) ([]human.MQMError, error) {
	return open(ctx, path, o, table(parseMQM))
}

func parseMQM(s *source) ([]human.MQMError, error) {
	var out []human.MQMError
	var h header
	var system, doc, docItem, item, rater, source, target, category, severity int
	err := rows(s, tabs, func(r *row) error {
		if h.names == nil {
			h = headerOf(r.fields)
			return h.locate(r, column{&system, []string{"system"}}, column{&doc, []string{"doc"}},
				column{&docItem, []string{"doc_id"}}, column{&item, []string{"seg_id"}},
				column{&rater, []string{"rater"}}, column{&source, []string{"source"}},
				column{&target, []string{"target"}}, column{&category, []string{"category"}},
				column{&severity, []string{"severity"}})
		}
		if err := h.fits(r); err != nil {
			return err
		}
		if err := r.named(system, item, rater, severity); err != nil {
			return err
		}
		out = append(out, human.MQMError{
			System: r.fields[system], Doc: r.fields[doc], DocItem: r.fields[docItem], Item: r.fields[item],
			Rater: r.fields[rater], Source: r.fields[source], Target: r.fields[target],
			Category: r.fields[category], Severity: r.fields[severity],
		})
		return nil
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("%s: no errors in it, nor remarks that there are none", s.name)
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}
