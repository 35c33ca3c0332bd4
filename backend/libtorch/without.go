//go:build !libtorch

package libtorch

import (
	"errors"

	"github.com/mteval/mteval/backend"
)

var errWithout = errors.New("libtorch: this program was built without it: run scripts/libtorch.sh DIR in mteval's source, then . DIR/env.sh && go build -tags libtorch ./cmd/mteval")

func open(string, Options) (backend.Matcher, error) { return nil, errWithout }

func openEncoder(backend.EncoderFiles, Options) (backend.Encoder, error) { return nil, errWithout }
