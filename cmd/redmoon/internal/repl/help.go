package repl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
)

const generalHelp = `redmoon %s

  help COMMAND    what a command does and takes, such as "help set" or "help config get"
  help @GROUP     the commands of a group: %s
  N COMMAND       run a command N times
  clear           clear the screen
  quit, exit      leave; Ctrl-D does the same

Ctrl-C clears the line, and stops a script that has written nothing. Tab completes.
Quotes work as in redis-cli: "a\x00b\n" with escapes, 'a b' without.
`

// help is the answer to "help" with the given words behind it.
func help(cmds engine.Commands, words []string) string {
	if len(words) == 0 {
		return fmt.Sprintf(generalHelp, "("+"Redis "+cmds.Version()+")", strings.Join(groups(cmds), " "))
	}
	if group, ok := strings.CutPrefix(words[0], "@"); ok {
		return groupHelp(cmds, group)
	}
	doc, ok := cmds.Describe(words...)
	if !ok {
		return fmt.Sprintf("No command is called %q; \"help\" alone tells what there is.\n", words[0])
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n  %s\n", strings.TrimRight(doc.Name+" "+doc.Arguments, " "))
	field(&b, "summary", doc.Summary)
	field(&b, "complexity", doc.Complexity)
	field(&b, "since", doc.Since)
	field(&b, "group", doc.Group)
	if doc.Deprecated != "" {
		field(&b, "deprecated", strings.TrimRight("since "+doc.Deprecated+", use "+doc.ReplacedBy, ", use"))
	}
	return b.String() + "\n"
}

func field(b *strings.Builder, name, text string) {
	if text != "" {
		fmt.Fprintf(b, "  %s: %s\n", name, text)
	}
}

// groupHelp lists the commands of a group, one a line.
func groupHelp(cmds engine.Commands, group string) string {
	var lines [][2]string
	width := 0
	for _, name := range cmds.Names() {
		doc, _ := cmds.Describe(strings.Fields(name)...)
		if strings.EqualFold(doc.Group, group) {
			lines = append(lines, [2]string{doc.Name, doc.Summary})
			width = max(width, len(doc.Name))
		}
	}
	if len(lines) == 0 {
		return fmt.Sprintf("No group is called %q; there are: %s\n", group, strings.Join(groups(cmds), " "))
	}
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(strings.TrimRight(fmt.Sprintf("  %-*s  %s", width, l[0], l[1]), " ") + "\n")
	}
	return b.String()
}

// groups are the groups of commands, sorted.
func groups(cmds engine.Commands) []string {
	var all []string
	for _, name := range cmds.Names() {
		if doc, _ := cmds.Describe(strings.Fields(name)...); doc.Group != "" {
			all = append(all, doc.Group)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
