package root

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mteval/mteval/internal/nearest"
)

// refuseUnknown makes an error of an unknown command after another one, as in model x and
// help x, for which cobra prints help and is content.
func refuseUnknown(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			explainCompletion(c)
		}
		switch {
		case c.Name() == "help":
			c.Example = "  mteval help score"
			c.Args = func(_ *cobra.Command, args []string) error {
				if above, rest, err := root.Find(args); err != nil || len(rest) > 0 {
					return fmt.Errorf("help: unknown command %q%s", strings.Join(args, " "), nearest.DidYouMean(rest[0], "", commandNames(above)))
				}
				return nil
			}
		case !c.Runnable():
			c.Args, c.DisableFlagsInUseLine = cobra.NoArgs, true
			c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		}
	}
}

// explainCompletion tells what is completed, and gives examples.
func explainCompletion(c *cobra.Command) {
	c.Short = "Print a script that completes commands and options in a shell"
	c.Long = `Completion prints a script for a shell, with which the tab key completes commands, options,
and what options may be: metrics (after a comma, too), tokenizers, backends, languages,
tasks and formats; and folders and files where these are wanted. The help of each shell
says how to load the script for good.`
	examples := map[string]string{
		"bash":       "  source <(mteval completion bash)",
		"zsh":        `  mteval completion zsh > "${fpath[1]}/_mteval"`,
		"fish":       "  mteval completion fish | source",
		"powershell": "  mteval completion powershell | Out-String | Invoke-Expression",
	}
	c.Example = examples["bash"]
	for _, shell := range c.Commands() {
		shell.Example = examples[shell.Name()]
	}
}

// meantCommand is what an error adds about a command that there is not. Package cobra has no
// type for it, and would add lines.
func meantCommand(root *cobra.Command, err error) string {
	var typed, path string
	if n, _ := fmt.Sscanf(err.Error(), "unknown command %q for %q", &typed, &path); n < 2 {
		return ""
	}
	above, _, err := root.Find(strings.Fields(path)[1:])
	if err != nil {
		return ""
	}
	return nearest.DidYouMean(typed, "", commandNames(above))
}

func commandNames(above *cobra.Command) []string {
	var names []string
	for _, c := range above.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	return names
}
