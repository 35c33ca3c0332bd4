package pace

import (
	"context"
	"errors"
	"testing"
)

func TestDone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := Of(ctx)
	for range 10 {
		if err := p.Done(look / 2); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	if err := errors.Join(p.Done(1), p.Done(look)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	var never Pace
	if err := never.Done(2 * look); err != nil {
		t.Errorf("without a context: %v", err)
	}
}
