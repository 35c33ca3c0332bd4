package lookalike

import "fmt"

// Check returns an error for a system of a file that is none of those that are known, while
// one is that is shown alike: both are meant to be one, which nothing else would say.
func Check(file string, systems []string, where string, known []string) error {
	own, there, looks := make(map[string]bool), make(map[string]bool), make(map[string]string)
	for _, name := range systems {
		own[name] = true
	}
	for _, name := range known {
		there[name] = true
		if form := Form(name); looks[form] == "" {
			looks[form] = name
		}
	}
	for _, name := range systems {
		if there[name] {
			continue
		}
		if twin := looks[Form(name)]; twin != "" && !own[twin] {
			return fmt.Errorf("%s: the system %s looks like %s of %s, and is in other characters (NFC, NFD): write both in the same", file, Spell(name), Spell(twin), where)
		}
	}
	return nil
}
