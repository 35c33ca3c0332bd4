package app

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/cmd/internal/registry"
)

// AdviseCOMETScore has errors of a command's flags say what stands here for -s and -t of
// comet-score and comet-compare, its files of sources and outputs.
func AdviseCOMETScore(c *cobra.Command) {
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		told := c.Root().FlagErrorFunc()(c, err)
		var bad *pflag.InvalidValueError
		var none *pflag.NotExistError
		switch {
		case errors.As(err, &bad) && bad.GetFlag().Name == "smooth-method":
			switch value := bad.GetValue(); {
			case IsFile(value):
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

// IsFile says whether there is something at a path that is no folder.
func IsFile(path string) bool {
	at, err := os.Stat(path)
	return err == nil && !at.IsDir()
}
