package registry

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// by says of which flag or option an error is. Whose work was stopped made none.
func by(flag string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%s: %w", flag, err)
}

// A given option is one that sets options O; drop takes it back.
type given[O any] struct {
	name string
	drop func(o *O)
}

// blame says of which of the options that were given an error of check is: of the first one
// without which there is none, or else another one.
func blame[O any](err error, o O, options []given[O], check func(O) error) error {
	other := ""
	for _, g := range options {
		without := o
		g.drop(&without)
		now := check(without)
		if now == nil {
			return by(g.name, err)
		}
		if other == "" && now.Error() != err.Error() {
			other = g.name
		}
	}
	if other != "" {
		return by(other, err)
	}
	return err
}

// ofModel is the option that an error about opening a model is about.
func ofModel(err error) string {
	for _, part := range []struct{ text, option string }{
		{": layer ", "layer"}, {": no layer is known", "layer"}, {": no device ", "device"}, {": no number type ", "dtype"}, {"built without it", "backend"},
	} {
		if strings.Contains(err.Error(), part.text) {
			return part.option
		}
	}
	return "model"
}
