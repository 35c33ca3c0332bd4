package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/internal/hub"
)

func (a *app) modelCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "model",
		Short: "Fetch models",
		Long: `Model fetches models for --backend transformer or libtorch from the Hugging Face hub, for
--model of other commands, which fetch nothing themselves.`,
		Example: "  mteval model get sentence-transformers/all-MiniLM-L6-v2",
	}
	var revision string
	get := &cobra.Command{
		Use:   "get NAME",
		Short: "Fetch a model into the Hugging Face cache folder and print where it is",
		Long: `Get fetches what a model needs here (config, tokenizer, weights) from the Hugging
Face hub into its standard cache folder, where --model NAME finds it. It goes on with
a download that was cut, checks what it got, fetches nothing twice, and mends what is
damaged there. Where another process downloads the same it waits, and says so.

HF_HOME and HF_HUB_CACHE name another folder, HF_ENDPOINT another hub, HF_TOKEN is
sent to it, and HTTPS_PROXY is honoured.`,
		Example:           "  mteval model get sentence-transformers/all-MiniLM-L6-v2",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(c *cobra.Command, args []string) error { return a.getModel(c.Context(), args[0], revision) },
	}
	flags.Var(get.Flags(), flags.Text(&revision, "", "name"), "revision", "branch, tag or commit (default main)")
	c.AddCommand(get)
	return c
}

func (a *app) getModel(ctx context.Context, name, revision string) error {
	var o hub.Options
	o.Revision = revision
	progress, clear := a.bytesBar(name)
	defer clear()
	o.Progress = progress
	o.Note = func(text string) {
		clear() // it is drawn again with the next bytes
		a.note("model %s: %s", name, text)
	}
	dir, err := hub.Get(ctx, name, o)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(a.stdout, dir)
	return err
}
