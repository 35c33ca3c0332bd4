package files

import (
	"errors"
	"strings"
)

// Documents takes the text for one that says which document each segment is of, as
// mt-metrics-eval's documents/LP.docs: a line of domain, tab and document for each, or of the
// document alone; domains is nil then. A line without a document, or of another form than the
// first, is an error with its number.
func (t *Text) Documents() (domains, documents []string, err error) {
	for i, line := range t.Lines {
		domain, document, two := strings.Cut(line, "\t")
		if !two {
			domain, document = "", line
		}
		document = strings.TrimSpace(document)
		if i > 0 && two != (domains != nil) {
			return nil, nil, &LineError{t.Name, i + 1, errors.New("one column, and two in other lines: want domain, tab, document in each, or the document alone")}
		}
		if document == "" {
			return nil, nil, &LineError{t.Name, i + 1, errors.New("no document")}
		}
		if documents = append(documents, document); two {
			domains = append(domains, strings.TrimSpace(domain))
		}
	}
	return domains, documents, nil
}
