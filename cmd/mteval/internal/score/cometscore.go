package score

import (
	"fmt"
	"slices"

	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/testsets"
)

// checkSetName returns an error for a test set that is a file: -t of comet-score has outputs.
func (o *setOptions) checkSetName() error {
	if app.IsFile(o.Name) && !slices.Contains(testsets.Names(), o.Name) {
		return fmt.Errorf("-t %s: -t is --test-set, one of sacreBLEU's: name outputs as arguments, as in mteval score --source SRC -r REF -m comet %s", o.Name, o.Name)
	}
	return nil
}
