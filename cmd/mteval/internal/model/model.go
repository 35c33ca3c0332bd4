// Package model is the command that fetches models.
package model

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/comet"
	"github.com/mteval/mteval/internal/hub"
)

// Command is mteval model.
func Command(a *app.App) *cobra.Command {
	c := &cobra.Command{
		Use:   "model",
		Short: "Fetch models",
		Long: `Model fetches models for BERTScore, and COMET's, from the Hugging Face hub, for other commands
to run, which fetch nothing themselves: bertscore(backend=transformer,model=NAME), comet(model=NAME).`,
		Example: "  mteval model get sentence-transformers/all-MiniLM-L6-v2\n  mteval model get Unbabel/wmt22-comet-da",
	}
	var o hub.Options
	get := &cobra.Command{
		Use:   "get NAME",
		Short: "Fetch a model into the Hugging Face cache folder and print where it is",
		Long: `Get fetches what a model needs here (config, tokenizer, weights) from the Hugging
Face hub into its standard cache folder, where model=NAME finds it. It goes on with
a download that was cut, checks what it got, fetches nothing twice, and mends what is
damaged there. Where another process downloads the same it waits, and says so.

Of a model of COMET's (hparams.yaml, checkpoints/model.ckpt) it also gets the config and
tokenizer of the encoder that the model was made of. A model whose licence forbids
commercial use, such as Unbabel/wmt22-cometkiwi-da, is fetched with --accept-licence only,
and one whose terms have to be accepted on its page with HF_TOKEN.

HF_HOME and HF_HUB_CACHE name another folder, HF_ENDPOINT another hub, HF_TOKEN is
sent to it, and HTTPS_PROXY is honoured.`,
		Example:           "  mteval model get sentence-transformers/all-MiniLM-L6-v2\n  mteval model get --accept-licence Unbabel/wmt22-cometkiwi-da",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(c *cobra.Command, args []string) error { return getModel(c.Context(), a, args[0], o) },
	}
	flags.Var(get.Flags(), flags.Text(&o.Revision, "", "name"), "revision", "branch, tag or commit (default main)")
	flags.Bool(get.Flags(), &o.AcceptLicence, "accept-licence", "fetch also a model whose licence forbids commercial use, which was read and accepted")
	c.AddCommand(get)
	return c
}

func getModel(ctx context.Context, a *app.App, name string, o hub.Options) error {
	o.Check = comet.CheckSettings
	dir, err := fetchModel(ctx, a, name, o)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, "hparams.yaml")); err == nil {
		if err := getEncoder(ctx, a, name, dir, o); err != nil {
			return fmt.Errorf("%s is in %s, but not all that it needs: %w", name, dir, err)
		}
	}
	_, err = fmt.Fprintln(a.Stdout, dir)
	return err
}

func fetchModel(ctx context.Context, a *app.App, name string, o hub.Options) (dir string, err error) {
	progress, clear := a.BytesBar(name)
	defer clear()
	o.Progress = progress
	o.Note = func(text string) {
		clear() // it is drawn again with the next bytes
		a.Note("model %s: %s", name, text)
	}
	return hub.Get(ctx, name, o)
}

// getEncoder gets the config and tokenizer of the encoder that a model of COMET's was made of.
func getEncoder(ctx context.Context, a *app.App, name, dir string, o hub.Options) error {
	encoder, err := comet.EncoderName(dir)
	if err != nil {
		return err
	}
	o.Revision, o.WithoutWeights = "", true
	at, err := fetchModel(ctx, a, encoder, o)
	if err != nil {
		return fmt.Errorf("the config and tokenizer of its encoder: %w", err)
	}
	a.Note("model %s: the config and tokenizer of its encoder %s are in %s", name, encoder, at)
	return nil
}
