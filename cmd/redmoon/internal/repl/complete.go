package repl

import (
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
)

// ownWords are what the dialogue itself understands.
func ownWords() []string { return []string{"help", "clear", "quit", "exit"} }

// Complete returns what the last word of line may become: names of cmds, behind a container its
// subcommands, behind help both and the groups. The case is that of what has been typed.
func Complete(cmds engine.Commands, line string) []string {
	words := strings.Fields(line)
	if len(words) == 0 || strings.HasSuffix(line, " ") {
		words = append(words, "")
	}
	names := cmds.Names()
	if len(words) == 1 {
		names = append(names, ownWords()...)
	} else if strings.EqualFold(words[0], "help") {
		words = words[1:]
		for _, g := range groups(cmds) {
			names = append(names, "@"+g)
		}
	}
	last := words[len(words)-1]
	typed := strings.ToLower(strings.Join(words, " "))
	upper := last != "" && last == strings.ToUpper(last) || last == "" && len(words) > 1 && words[0] == strings.ToUpper(words[0])
	var found []string
	for _, name := range names {
		parts := strings.Fields(name)
		if len(parts) != len(words) || !strings.HasPrefix(name, typed) {
			continue
		}
		word := parts[len(parts)-1]
		if upper {
			word = strings.ToUpper(word)
		}
		found = append(found, word)
	}
	return found
}

// Hint returns the arguments that may follow a line, for a cursor at its end. There is none before
// the command's name is complete.
func Hint(cmds engine.Commands, line string) string {
	words := strings.Fields(line) // quotes may still be open
	if len(words) == 0 {
		return ""
	}
	atWord := !strings.HasSuffix(line, " ")
	if atWord && len(words) > 1 {
		return ""
	}
	hint := cmds.Hint(words...)
	if hint != "" && atWord {
		hint = " " + hint
	}
	return hint
}
