package registry

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/meteor"
)

// noteEnglish says that a metric takes what English has for want of a language, and how sure
// it is that this is wrong. What a file's name tells is not taken for it: numbers must not depend on
// names.
func (f *Flags) noteEnglish(metric, what string) {
	path, language := f.namedLanguage()
	looks := notEnglish(f.Lines)
	switch {
	case language != "" && language != "en":
		f.once("warning: %s: %s of English are used, and %s is of language %s by its name: add --target-language %s", metric, what, path, language, language)
	case looks != "":
		f.once("warning: %s: %s of English are used, and %s: add --target-language and the language's code", metric, what, looks)
	case language == "":
		f.once("%s: %s of English are used: --target-language names another language", metric, what)
	}
}

// namedLanguage is the language that names of references tell, such as that of ref.de or of
// wmt.en-de.txt, and one of these files; "": none.
func (f *Flags) namedLanguage() (path, language string) {
	refs := f.references()
	tag, err := files.Language(refs)
	if err != nil || tag == "" {
		return "", ""
	}
	code := languageCode(tag)
	if _, second, ok := strings.Cut(strings.ReplaceAll(tag, "_", "-"), "-"); ok && slices.Contains(languages, second) {
		code = second // of a pair
	}
	code, err = meteor.ParseLanguage(code)
	if err != nil || len(code) != 2 { // such as "ref"
		return "", ""
	}
	return refs[0], code
}

// references are the files of -r, or those of folders that are scored.
func (f *Flags) references() []string {
	var out []string
	for _, u := range flags.Inputs(f.Set) {
		if u.By == "-r" {
			out = append(out, u.Path)
		}
	}
	if out != nil {
		return out
	}
	return slices.DeleteFunc(slices.Clone(f.Texts), func(path string) bool { return !strings.HasPrefix(filepath.Base(path), "ref.") })
}
