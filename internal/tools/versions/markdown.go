package versions

import (
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// steps are the moves that the document shows: to the next version, and from Redis to Valkey where
// it began.
var steps = [][2]servers.Server{
	{servers.Redis70, servers.Redis72}, {servers.Redis72, servers.Redis74}, {servers.Redis74, servers.Redis80},
	{servers.Redis80, servers.Redis82}, {servers.Redis82, servers.Redis84}, {servers.Redis84, servers.Redis86},
	{servers.Redis72, servers.Valkey72}, {servers.Valkey72, servers.Valkey80}, {servers.Valkey80, servers.Valkey81},
	{servers.Valkey81, servers.Valkey90}, {servers.Valkey90, servers.Valkey91},
}

// Document returns the text of docs/versions.md.
func Document() string {
	var b strings.Builder
	b.WriteString(documentBegin)
	for _, s := range steps {
		fmt.Fprintf(&b, "\n## From %s to %s\n", s[0], s[1])
		list := Compare(s[0], s[1])
		if len(list) == 0 {
			b.WriteString("\nNothing that Redmoon knows of.\n")
		}
		for _, section := range list {
			fmt.Fprintf(&b, "\n**%s**\n\n", section.Title)
			for _, line := range section.Lines {
				b.WriteString(wrap("- ", quoted(section.Title, line), 100))
			}
		}
	}
	b.WriteString("\nNext: [accepted differences](differences.md)\n")
	return b.String()
}

const documentBegin = `# From one server to another

What the author of a script meets on another server, from the tables by which engines follow it
(` + "`--server`" + `, ` + "`engine.Options.Server`" + `). It is what Redmoon follows, and grows with it; where a server
was not there to be asked (Redis 7.4, 8.2 and 8.4, Valkey 7.2 and 9.0) a change may belong to a
neighbour. ` + "`redmoon versions A B`" + ` compares any two, and ` + "`redmoon test --server A,B`" + ` runs your tests on
both.

This file is written by ` + "`go generate ./internal/tools/versions`" + `.
`

// quoted returns a line with what is code between backquotes.
func quoted(title, line string) string {
	switch title {
	case "New commands", "Commands that are gone":
		return "`" + line + "`"
	case "New options", "Options that are gone":
		name, options, _ := strings.Cut(line, ": ")
		return name + ": `" + strings.ReplaceAll(options, ", ", "`, `") + "`"
	case "Error texts":
		was, is, _ := strings.Cut(line, `" is "`)
		return "`" + strings.TrimPrefix(was, `"`) + "` is `" + strings.TrimSuffix(is, `"`) + "`"
	}
	return line
}

// wrap returns a line of a list in lines of at most so many characters, with an indent after the
// first.
func wrap(mark, text string, width int) string {
	var b strings.Builder
	line := mark
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
			line += word
		case len(line)+1+len(word) > width:
			b.WriteString(line + "\n")
			line = strings.Repeat(" ", len(mark)) + word
		default:
			line += " " + word
		}
	}
	b.WriteString(line + "\n")
	return b.String()
}

// Text returns the differences as text for a terminal of some width.
func Text(list []Section, width int) string {
	var b strings.Builder
	for i, section := range list {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(section.Title + "\n")
		for _, line := range section.Lines {
			b.WriteString(wrap("  ", line, width))
		}
	}
	return b.String()
}
