package hub

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// ErrLicence is what errors wrap where a model's licence forbids commercial use and was not
// accepted.
var ErrLicence = errors.New("its licence forbids commercial use")

// nonCommercial are the names of licences that forbid commercial use, such as cc-by-nc-sa-4.0.
var nonCommercial = regexp.MustCompile(`(?i)(^|[^a-z])(nc|non[-_ ]?commercial)([^a-z]|$)`)

// card is the file that begins with what the model's page tells, its licence among it.
const card = "README.md"

// licence refuses a model whose licence forbids commercial use, unless that is accepted, before
// anything but its card is fetched. tags are the hub's for the model.
func (g *getter) licence(ctx context.Context, tags []string) error {
	name := ""
	for _, t := range tags {
		if l, ok := strings.CutPrefix(t, "license:"); ok {
			name = l
		}
	}
	// "other" is one that the card names.
	if (name == "" || name == "other") && g.listed[card] {
		m, err := g.head(ctx, card)
		if err != nil {
			return err
		}
		if err := g.file(ctx, m); err != nil {
			return err
		}
		text, err := os.ReadFile(filepath.Join(g.snapshot, card))
		if err != nil {
			return err
		}
		if told := licenceOf(string(text)); told != "" {
			name = told
		}
	}
	if !nonCommercial.MatchString(name) {
		return nil
	}
	page := g.endpoint.Redacted() + "/" + g.name
	if !g.AcceptLicence {
		return fmt.Errorf("%w (%.100s): read it at %s, and type --accept-licence if you accept it", ErrLicence, name, page)
	}
	g.note("%v (%.100s): see %s", ErrLicence, name, page)
	return nil
}

// licenceOf is what a card's settings, the lines between --- at its beginning, say of the
// licence: the values of license and license_name.
func licenceOf(text string) string {
	lines := strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n")
	if strings.TrimSpace(lines[0]) != "---" {
		return ""
	}
	var out []string
	within := false
	for _, line := range lines[1:] {
		line = strings.TrimRight(line, " \r")
		if line == "---" {
			break
		}
		if line != "" && !strings.ContainsRune(" \t-#", rune(line[0])) {
			key, value, _ := strings.Cut(line, ":")
			within = key == "license" || key == "license_name"
			line = value
		}
		if within {
			out = append(out, strings.Trim(line, " \t-[]\"'"))
		}
	}
	return strings.TrimSpace(strings.Join(out, " "))
}
