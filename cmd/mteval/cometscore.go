package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/testsets"
)

// adviseCOMETScore has errors of a command's flags say what stands here for -s and -t of
// comet-score and comet-compare, its files of sources and outputs.
func adviseCOMETScore(c *cobra.Command) {
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		told := c.Root().FlagErrorFunc()(c, err)
		var bad *pflag.InvalidValueError
		var none *pflag.NotExistError
		switch {
		case errors.As(err, &bad) && bad.GetFlag().Name == "smooth-method":
			switch value := bad.GetValue(); {
			case isFile(value):
				return fmt.Errorf("-s %s: -s is --smooth-method of BLEU: for a file of sources use --source %s", value, value)
			case strings.ContainsAny(value, `./\`) || registry.Has(flags.Split(c.Flag("metrics").Value.String()), "comet"):
				return fmt.Errorf("%w (for a file of sources use --source FILE)", told)
			}
		case errors.As(err, &none) && none.GetSpecifiedShortnames() == "s":
			return fmt.Errorf("%w (for a file of sources use --source FILE)", told)
		case errors.As(err, &none) && none.GetSpecifiedShortnames() == "t":
			return fmt.Errorf("%w (outputs are named as arguments, without an option)", told)
		}
		return told
	})
}

// checkSetName returns an error for a test set that is a file: -t of comet-score has outputs.
func (o *setOptions) checkSetName() error {
	if isFile(o.name) && !slices.Contains(testsets.Names(), o.name) {
		return fmt.Errorf("-t %s: -t is --test-set, one of sacreBLEU's: name outputs as arguments, as in mteval score --source SRC -r REF -m comet %s", o.name, o.name)
	}
	return nil
}

func isFile(path string) bool {
	at, err := os.Stat(path)
	return err == nil && !at.IsDir()
}
