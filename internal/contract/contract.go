// Package contract checks metrics and whatever else callers bring before it is used, so that
// one that breaks its contract is an error that names it, and neither a panic elsewhere nor a
// wrong score.
package contract

import (
	"errors"
	"fmt"
	"math"
	"reflect"
)

// Nil says whether x is nil, or a nil pointer or function in an interface.
func Nil(x any) bool {
	v := reflect.ValueOf(x)
	return x == nil || (v.Kind() == reflect.Pointer || v.Kind() == reflect.Func) && v.IsNil()
}

// Option returns an error for an option that is a nil pointer in an interface, which is not nil
// itself, as an option is that was left out.
func Option(name string, x any) error {
	if x != nil && Nil(x) {
		return fmt.Errorf("%s is a nil %T: leave it out, or set one", name, x)
	}
	return nil
}

// The errors where something that must be there is Nil.
var (
	ErrNoMetric = errors.New("no metric: it is nil")
	ErrNoReader = errors.New("no reader: it is nil")
	ErrNoWriter = errors.New("no writer: it is nil")
)

// MaxWidth is the longest row of a metric that is believed.
const MaxWidth = 1 << 20

// Width returns an error for what can't be the length of a metric's rows.
func Width(metric string, width int) error {
	if width < 1 || width > MaxWidth {
		return fmt.Errorf("metric %q has rows of %d numbers: its Width must be from 1 to %d", metric, width, MaxWidth)
	}
	return nil
}

// Length returns an error unless a metric appended as many numbers as rows for so many
// hypotheses have.
func Length(metric string, numbers, hyps, width int) error {
	if numbers == hyps*width {
		return nil
	}
	return fmt.Errorf("metric %q appended %d numbers for %d hypotheses: its Width is %d, so that they must be %d", metric, numbers, hyps, width, hyps*width)
}

// Rows returns an error unless what a metric appended for so many hypotheses is a row for each,
// without a NaN.
func Rows(metric string, rows []float64, hyps, width int) error {
	if err := Length(metric, len(rows), hyps, width); err != nil {
		return err
	}
	for i, x := range rows {
		if math.IsNaN(x) {
			return fmt.Errorf("metric %q gave a NaN in the row of hypothesis %d", metric, i/width+1)
		}
	}
	return nil
}

// NoPrepared is the error of a metric whose Prepare returned neither a Prepared nor an error.
func NoPrepared(metric string) error {
	return fmt.Errorf("metric %q: its Prepare returned nil without an error", metric)
}
