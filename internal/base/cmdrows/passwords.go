package cmdrows

import (
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/glob"
)

// These functions find passwords in command lines. The Hidden ones follow Redis, which keeps names
// of users back as well, and shows malformed lines. The others keep back only passwords, and in a
// malformed line all that could be one.

// allFrom returns the indexes of the arguments from i on.
func allFrom(i int) func(args []string) []int {
	return func(args []string) []int { return indexes(args, i) }
}

func indexes(args []string, from int) (list []int) {
	for i := from; i < len(args); i++ {
		list = append(list, i)
	}
	return list
}

func hiddenInHello(args []string) (hidden []int) {
	for i := 2; i+2 < len(args); i++ {
		if glob.IsToken(args[i], "auth") {
			hidden = append(hidden, i+1, i+2)
		}
	}
	return hidden
}

func passwordsInHello(args []string) (found []int) {
	for i := 2; i < len(args); {
		switch strings.ToLower(args[i]) {
		case "auth":
			if i+2 >= len(args) {
				return append(found, indexes(args, i+1)...)
			}
			found = append(found, i+2)
			i += 3
		case "setname":
			i += 2
		default: // Redis refuses it
			return append(found, indexes(args, i)...)
		}
	}
	return found
}

// passwordsInAuth leaves the name of the user.
func passwordsInAuth(args []string) []int {
	if len(args) == 3 {
		return []int{2}
	}
	return indexes(args, 1)
}

func hiddenInMigrate(args []string) (hidden []int) {
	for i := 6; i+1 < len(args); i++ {
		if glob.IsToken(args[i], "auth") {
			hidden = append(hidden, i+1)
		} else if glob.IsToken(args[i], "auth2") && i+2 < len(args) {
			hidden = append(hidden, i+1, i+2)
		}
	}
	return hidden
}

func passwordsInMigrate(args []string) (found []int) {
	for i := 6; i < len(args); i++ {
		switch strings.ToLower(args[i]) {
		case "copy", "replace":
		case "auth":
			found = append(found, i+1)
			i++
		case "auth2":
			found = append(found, i+2)
			i += 2
		case "keys":
			return found
		default: // Redis refuses it
			return append(found, indexes(args, i)...)
		}
	}
	return found
}

// hiddenParameters are the parameters whose values Redis hides.
var hiddenParameters = []string{"requirepass", "masterauth", "masteruser"}

func hiddenInConfig(args []string) (hidden []int) {
	for i := 2; i+1 < len(args); i += 2 {
		if slices.Contains(hiddenParameters, strings.ToLower(args[i])) {
			hidden = append(hidden, i+1)
		}
	}
	return hidden
}

func passwordsInConfig(args []string) (found []int) {
	if len(args)%2 != 0 { // a value is missing, or a name
		return indexes(args, 3)
	}
	for i := 2; i < len(args); i += 2 {
		if holdsPassword(args[i]) {
			found = append(found, i+1)
		}
	}
	return found
}

// asksForPassword reports whether CONFIG GET may return a password.
func asksForPassword(args []string) bool {
	more := []string{"tls-key-file-pass", "tls-client-key-file-pass", "sentinel-pass", "primaryauth", "primaryuser"}
	return slices.ContainsFunc(args[2:], func(pattern string) bool {
		pattern = strings.ToLower(pattern)
		matches := func(name string) bool { return glob.Match(pattern, name, false) }
		return holdsPassword(pattern) || slices.ContainsFunc(hiddenParameters, matches) || slices.ContainsFunc(more, matches)
	})
}

// holdsPassword reports whether a parameter of any server may hold a password, or the name of a
// user.
func holdsPassword(parameter string) bool {
	parameter = strings.ToLower(parameter)
	return strings.Contains(parameter, "pass") || strings.Contains(parameter, "auth") && parameter != "tls-auth-clients" ||
		parameter == "masteruser" || parameter == "primaryuser"
}

func always([]string) bool { return true }

// passwordsInRules finds the rules of ACL SETUSER that are not known to be harmless.
func passwordsInRules(args []string) (found []int) {
	for i := 3; i < len(args); i++ {
		words := []string{args[i]}
		if inner, ok := strings.CutPrefix(args[i], "("); ok {
			words = strings.Fields(inner)
		}
		if !slices.ContainsFunc(words, func(word string) bool { return !isHarmlessRule(word) }) {
			continue
		}
		found = append(found, i)
	}
	return found
}

// isHarmlessRule reports whether a rule cannot have a password: it is about keys, channels or
// commands, or is a known word.
func isHarmlessRule(rule string) bool {
	if rule != "" && strings.IndexByte("~%&+-@)", rule[0]) >= 0 {
		return true
	}
	switch strings.TrimSuffix(strings.ToLower(rule), ")") {
	case "on", "off", "nopass", "resetpass", "allkeys", "resetkeys", "allchannels", "resetchannels", "allcommands", "nocommands", "reset",
		"sanitize-payload", "skip-sanitize-payload", "clearselectors":
		return true
	}
	return false
}
