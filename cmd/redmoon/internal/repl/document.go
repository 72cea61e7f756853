package repl

import (
	"fmt"
	"strings"
)

const documentHead = `# Commands of the prompt

` + "`redmoon repl` and `redmoon debug`" + ` understand every command of Redis, and those below. How to debug with them: [debugging.md](debugging.md).

The letters work at a stop without a colon, as do the other names that stand in the groups ` + "*Stepping* and *At a stop*" + `. Names may be cut short where they stay clear: ` + "`:snap`" + `.

This file is written by ` + "`go generate ./cmd/redmoon/internal/repl`" + ` from the tables of commands in that folder.
`

// Document is the text of docs/repl.md.
func Document() string {
	var b strings.Builder
	b.WriteString(documentHead)
	for _, group := range groupNames() {
		fmt.Fprintf(&b, "\n## %s\n\n| command | letter | does | works |\n|---|---|---|---|\n", group)
		var notes []string
		for _, c := range table() {
			if c.group != group {
				continue
			}
			name := strings.TrimSpace(":" + c.name + " " + c.args)
			cell := "`" + strings.ReplaceAll(name, "|", `\|`) + "`"
			for _, a := range c.aliases {
				cell += ", `:" + a + "`"
			}
			letter := ""
			if c.letter != "" {
				letter = "`" + c.letter + "`"
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", cell, letter, c.help, c.where)
			for _, m := range c.more {
				notes = append(notes, "`:"+c.name+"`: "+m)
			}
		}
		for _, n := range notes {
			b.WriteString("\n" + n + "\n")
		}
	}
	return b.String()
}
