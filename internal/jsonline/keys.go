package jsonline

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// CheckKeys is an error for what package json takes in silence where it decodes a value, which is
// JSON, into what v points to: a field that stands there twice, of which the last would count, and
// one in other letters than its own ("Score" for "score"). Fields that v has not are passed over.
func CheckKeys(value string, v any) error {
	value = strings.Trim(value, Space)
	return checkKeys(value, reflect.TypeOf(v).Elem())
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

func checkKeys(value string, t reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch kind := t.Kind(); {
	case reflect.PointerTo(t).Implements(unmarshaler):
	case value[0] == '[' && kind == reflect.Slice:
		for _, e := range Values(value) {
			if err := checkKeys(e, t.Elem()); err != nil {
				return err
			}
		}
	case value[0] == '{' && kind == reflect.Map:
		seen := make(map[string]bool)
		for key, e := range Values(value) {
			if seen[key] {
				return twice(key)
			}
			seen[key] = true
			if err := checkKeys(e, t.Elem()); err != nil {
				return err
			}
		}
	case value[0] == '{' && kind == reflect.Struct:
		return checkFields(value, t)
	}
	return nil
}

func twice(key string) error { return fmt.Errorf("field %.100q stands there twice", key) }

func checkFields(value string, t reflect.Type) error {
	fields := fieldsOf(t)
	var seen []string
	for key, e := range Values(value) {
		for _, f := range fields {
			switch {
			case key == f.name:
				if slices.Contains(seen, key) {
					return twice(key)
				}
				seen = append(seen, key)
				if err := checkKeys(e, f.of); err != nil {
					return err
				}
			case strings.EqualFold(key, f.name):
				return fmt.Errorf("field %q: there is no such field, but %s", key, f.name)
			}
		}
	}
	return nil
}

// A field of a struct, by its name in JSON.
type field struct {
	name string
	of   reflect.Type
}

var known sync.Map // the fields of a type

func fieldsOf(t reflect.Type) []field {
	if out, ok := known.Load(t); ok {
		return out.([]field)
	}
	var out []field
	for _, f := range reflect.VisibleFields(t) {
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || f.Anonymous && tag == "" || tag == "-" {
			continue
		}
		if tag == "" {
			tag = f.Name
		}
		out = append(out, field{tag, f.Type})
	}
	known.Store(t, out)
	return out
}
