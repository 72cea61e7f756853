package repl

import (
	"fmt"
	"strings"
)

const documentHead = `# Commands of the prompt

The prompt of ` + "`redmoon repl` and `redmoon debug`" + ` runs all Redis commands and the commands below.
[debugging.md](debugging.md#at-the-prompt) shows how to debug with them. In ` + "`redmoon repl`" + `, a script is
loaded first:

    redmoon> :load claim.lua
    redmoon> :run stock:1 , ann 2
    redmoon> :diff
    redmoon> :debug

At a stop the letters work without a colon, and so do the names in the groups *Stepping* and
*At a stop*. A name may be shortened to a unique prefix: ` + "`:snap`" + `.

` + "`go generate ./cmd/redmoon/internal/repl`" + ` writes this file from the tables of commands in
that folder.
`

// Document returns the text of docs/repl.md.
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
			b.WriteString("\n" + wrap(n, 100, ""))
		}
	}
	b.WriteString("\nNext: [embed an engine](embed.md)\n")
	return b.String()
}
