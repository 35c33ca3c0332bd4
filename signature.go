package mteval

import (
	"strconv"
	"strings"
)

// A Signature lists the choices behind a score, in sacreBLEU's form: fields of a
// key and a value, written key:value and joined by "|".
type Signature []Field

// A Field of a signature. Abbr is the key of the short form; a field without one
// is left out there.
type Field struct {
	Key, Abbr, Value string
}

// String is the long form, "nrefs:1|case:mixed|eff:no|…".
func (s Signature) String() string {
	var b strings.Builder
	for i, f := range s {
		if i > 0 {
			b.WriteByte('|')
		}
		b.WriteString(f.Key)
		b.WriteByte(':')
		b.WriteString(f.Value)
	}
	return b.String()
}

// Short is the short form, "#:1|c:mixed|e:no|…".
func (s Signature) Short() string {
	var b strings.Builder
	for _, f := range s {
		if f.Abbr == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('|')
		}
		b.WriteString(f.Abbr)
		b.WriteByte(':')
		b.WriteString(f.Value)
	}
	return b.String()
}

// Get returns the value of the field with this key, "" if there is none.
func (s Signature) Get(key string) string {
	for _, f := range s {
		if f.Key == key {
			return f.Value
		}
	}
	return ""
}

// Complete returns the signature of a score against refs (by segment): the
// number of references, "var" where it varies, then s, then the version.
func (s Signature) Complete(refs [][]string) Signature {
	nrefs := "0"
	for i, r := range refs {
		n := strconv.Itoa(len(r))
		if i > 0 && n != nrefs {
			nrefs = "var"
			break
		}
		nrefs = n
	}
	out := make(Signature, 0, len(s)+2)
	out = append(out, Field{"nrefs", "#", nrefs})
	out = append(out, s...)
	return append(out, Field{"version", "v", "mteval-" + Version})
}
