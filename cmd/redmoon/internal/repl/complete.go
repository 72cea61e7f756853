package repl

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/quoting"
)

// completionTimeout is how long a completion may wait for the engine.
const completionTimeout = 300 * time.Millisecond

// maxCandidates is the maximum number of keys or variables that are offered.
const maxCandidates = 100

// Complete implements [lineedit.Assistant].
func (a *assistant) Complete(line string) ([]candidate, string) {
	d := (*dialogue)(a)
	if code, ok := strings.CutPrefix(strings.TrimLeft(line, " "), "="); ok {
		return completeLua(d, []string{code}), luaPrefix(code)
	}
	words := strings.Fields(line)
	if len(words) == 0 || strings.HasSuffix(line, " ") {
		words = append(words, "")
	}
	last := words[len(words)-1]
	if name, ok := strings.CutPrefix(words[0], ":"); ok {
		return a.completeOwn(name, words[1:], line)
	}
	if c := d.bareCommand(words[0]); c != nil && len(words) > 1 && c.complete != nil && c.name != "help" {
		return a.completeArgs(c, words[1:], line)
	}
	all := plainCandidates(Complete(d.Commands, line)...)
	if len(words) == 1 && last == "" {
		for i := range d.commands {
			all = append(all, candidate{Value: ":" + d.commands[i].name, Help: d.commands[i].help})
		}
	}
	if len(words) > 1 && strings.EqualFold(words[0], "help") {
		all = append(all, withPrefix(completeHelp(d, words[1:]), last)...)
	} else if takesParameter(words) {
		all = append(all, d.data.parametersLike(last)...)
	} else if len(words) > 1 && len(all) == 0 { // not at a subcommand
		if takesKey(d.Commands, words) {
			all = append(all, d.data.keysLike(last)...)
		}
		all = append(all, plainCandidates(optionWords(d.Commands, words)...)...)
	}
	return all, last
}

func (a *assistant) completeOwn(name string, args []string, line string) ([]candidate, string) {
	if len(args) == 0 {
		var all []candidate
		for i := range a.commands {
			if c := &a.commands[i]; strings.HasPrefix(c.name, strings.ToLower(name)) && !(c.where&atStop != 0 && a.scripts.current == nil) &&
				!(c.where&idle != 0 && a.scripts.current != nil) {
				all = append(all, candidate{Value: ":" + c.name, Help: c.help})
			}
		}
		return all, ":" + name
	}
	c, err := find(a.commands, name)
	if err != nil || c.complete == nil {
		return nil, args[len(args)-1]
	}
	return a.completeArgs(c, args, line)
}

func (a *assistant) completeArgs(c *command, args []string, line string) ([]candidate, string) {
	last := args[len(args)-1]
	if c.name == "print" || c.name == "json" || c.name == "set" || c.name == "watch" || c.name == "lua" {
		last = luaPrefix(line)
	}
	return withPrefix(c.complete((*dialogue)(a), args), last), last
}

// withPrefix returns the candidates that begin with the typed text.
func withPrefix(all []candidate, typed string) []candidate {
	return slices.DeleteFunc(all, func(c candidate) bool { return !strings.HasPrefix(c.Value, typed) })
}

func plainCandidates(values ...string) []candidate {
	all := make([]candidate, len(values))
	for i, v := range values {
		all[i].Value = v
	}
	return all
}

func completeWords(words ...string) func(*dialogue, []string) []candidate {
	return func(*dialogue, []string) []candidate { return plainCandidates(words...) }
}

// completeFiles offers the files of a folder. If there are Lua files, it offers only them and the
// folders.
func completeFiles(_ *dialogue, words []string) []candidate {
	typed := words[len(words)-1]
	folder, _ := filepath.Split(typed)
	entries, _ := os.ReadDir(filepath.Join(".", folder))
	if filepath.IsAbs(folder) {
		entries, _ = os.ReadDir(folder)
	}
	var scripts, all []candidate
	for _, e := range entries {
		name := folder + e.Name()
		switch {
		case strings.HasPrefix(e.Name(), ".") || !strings.HasPrefix(name, typed):
		case e.IsDir():
			all = append(all, candidate{Value: name + string(filepath.Separator)})
		case strings.HasSuffix(name, ".lua"):
			scripts = append(scripts, candidate{Value: name})
		default:
			all = append(all, candidate{Value: name})
		}
	}
	if len(scripts) > 0 {
		return append(scripts, slices.DeleteFunc(all,
			func(c candidate) bool { return !strings.HasSuffix(c.Value, string(filepath.Separator)) })...)
	}
	return all
}

// takesKey reports whether the last word may be a key of a Redis command.
func takesKey(cmds engine.Commands, words []string) bool {
	at := len(words) - 1
	padded := slices.Clone(words)
	for range 5 {
		if slices.Contains(cmds.Keys(padded...), at) {
			return true
		}
		padded = append(padded, "1")
	}
	return false
}

// keysLike offers keys that begin with the typed text.
func (d *data) keysLike(typed string) []candidate {
	if strings.ContainsAny(typed, `"'`) {
		return nil
	}
	keys, _, err := d.scan(completionTimeout, escapeGlob(typed)+"*", maxCandidates)
	if err != nil {
		return nil
	}
	var all []candidate
	for _, k := range keys {
		if q := quoting.Word(k); q == k {
			all = append(all, candidate{Value: k})
		}
	}
	return all
}

func escapeGlob(text string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(text)
}

func completeKeys(d *dialogue, words []string) []candidate {
	if slices.Contains(words[:len(words)-1], ",") {
		return nil
	}
	return d.data.keysLike(words[len(words)-1])
}

func completeSnapshots(d *dialogue, _ []string) []candidate {
	return plainCandidates(d.data.snapshotNames()...)
}

func completeStops(d *dialogue, words []string) []candidate {
	switch {
	case len(words) == 1:
		return plainCandidates("on", "off")
	case len(words) == 2:
		return plainCandidates("error", "uncaught", "command", "key", "change")
	case len(words) == 3 && words[1] == "command":
		return plainCandidates(d.Commands.Names()...)
	case len(words) == 3 && words[1] == "key":
		return d.data.keysLike(words[2])
	}
	return nil
}

// completeHelp offers commands of the prompt. [Complete] offers those of Redis.
func completeHelp(d *dialogue, words []string) []candidate {
	if len(words) != 1 {
		return nil
	}
	var all []candidate
	for i := range d.commands {
		all = append(all, candidate{Value: ":" + d.commands[i].name, Help: d.commands[i].help})
	}
	return all
}

// Complete returns the words that the last word of line may become: names of cmds, the subcommands
// of a container, and after help both names and groups. Their case is the case of the typed text.
func Complete(cmds engine.Commands, line string) []string {
	words := strings.Fields(line)
	if len(words) == 0 || strings.HasSuffix(line, " ") {
		words = append(words, "")
	}
	names := cmds.Names()
	if len(words) == 1 {
		for _, c := range promptCommands() {
			if c.bare {
				names = append(names, c.name)
			}
		}
		names = append(names, "exit")
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

// Hint returns the arguments that may follow a line, for a cursor at its end. It returns "" while
// the name of the command is incomplete.
func Hint(cmds engine.Commands, line string) string {
	words := strings.Fields(line) // quotes may be incomplete
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
