//go:build !libtorch

package libtorch

import (
	"errors"

	"github.com/mteval/mteval/backend"
)

func open(string, Options) (backend.Matcher, error) {
	return nil, errors.New("libtorch: this program was built without it: run scripts/libtorch.sh DIR in mteval's source, then . DIR/env.sh && go build -tags libtorch ./cmd/mteval")
}
