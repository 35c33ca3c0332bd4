package flags

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// TextFiles is a list of TEXT=FILE, one for each time that the flag is given; texts are those
// that TEXT may be, once they are known. Both files are read.
func TextFiles(p *[]string, kind string, texts *[]string) pflag.Value {
	return NamingPairs(p, kind, func(v string) []string {
		// What is wrong with it is told by who opens it.
		text, path, err := TextAndFile("", v, *texts)
		if err != nil {
			return nil
		}
		return []string{text, path}
	})
}

// TextAndFile splits the value TEXT=FILE of a flag, which errors name. As either name may have an = in it, TEXT is one of the
// texts that are given, or else a file that there is, and FILE a file that there is.
func TextAndFile(flag, value string, texts []string) (text, path string, err error) {
	found, sure := splits(value, texts)
	switch {
	case len(found) == 0:
		return "", "", fmt.Errorf("%s %s: want TEXT=FILE, the text file and what belongs to its lines", flag, value)
	case len(found) == 1 || !sure: // what is missing is told by who reads it
		return found[0][0], found[0][1], nil
	}
	var ways []string
	for _, p := range found {
		dot := "./"
		if filepath.IsAbs(p[1]) {
			dot = "/."
		}
		ways = append(ways, p[0]+"="+dot+p[1])
	}
	return "", "", fmt.Errorf("%s %s: which = is the one between TEXT and FILE? Type %s", flag, value, strings.Join(ways, " or "))
}

// splits are the likeliest ways to split a value; they are sure where both files are there.
func splits(value string, texts []string) (found [][2]string, sure bool) {
	isFile := func(p string) bool {
		at, err := os.Stat(p)
		return err == nil && !at.IsDir()
	}
	const there = 3 // what both are, at least
	best := -1
	for i := range len(value) {
		if value[i] != '=' {
			continue
		}
		pair, likely := [2]string{value[:i], value[i+1:]}, 0
		switch {
		case slices.Contains(texts, pair[0]):
			likely = 2
		case isFile(pair[0]):
			likely = 1
		}
		if likely > 0 && isFile(pair[1]) {
			likely += there - 1
		}
		if likely > best {
			best, found = likely, nil
		}
		if likely == best {
			found = append(found, pair)
		}
	}
	return found, best >= there
}
