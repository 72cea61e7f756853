package play

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/redmoon-lua/redmoon/internal/base/quoting"
	"github.com/redmoon-lua/redmoon/internal/tools/harness"
)

// describe adds to a row what people need to see of the commands of the step.
func (g *game) describe(r *row) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := range g.calls {
		c := &g.calls[i]
		switch {
		case c.answer != nil:
			r.more = append(r.more, row{actor: c.answer.number, lines: []string{"-> " + inline(c.reply)}})
		case c.script || c.exec || chatter(c):
		default:
			r.lines = append(r.lines, g.line(i))
		}
	}
	if r.actor < len(g.Clients) && len(r.lines) == 0 {
		a := g.actors[r.actor]
		if r.lines = []string{a.name}; a.result.Kind() != 0 {
			r.lines[0] += " -> " + inline(a.result)
		}
	}
}

// chatter reports whether a command is only about the connection.
func chatter(c *call) bool {
	switch c.name() {
	case "hello", "client|setinfo", "client|setname", "multi", "watch":
		return c.name() != "watch" && !c.reply.IsError()
	}
	return false
}

// line returns call i of the step and its reply.
func (g *game) line(i int) string {
	c := &g.calls[i]
	text := harness.Line(append([]string{strings.ToUpper(c.args[0])}, c.args[1:]...))
	switch c.name() {
	case "eval", "eval_ro", "evalsha", "evalsha_ro":
		text = strings.TrimSpace(g.scriptName(c) + " " + harness.Line(c.args[3:]))
	case "exec":
		for _, before := range g.calls[:i] {
			if before.exec {
				text += " (" + harness.Line(before.args) + ")"
			}
		}
	}
	if c.waits {
		return text + " waits"
	}
	return text + " -> " + inline(c.reply)
}

func (g *game) scriptName(c *call) string {
	sha := strings.ToLower(c.args[1])
	if !strings.HasPrefix(strings.ToLower(c.args[0]), "evalsha") {
		sha = hash(c.args[1])
	}
	if g.ScriptName != nil {
		if name := g.ScriptName(sha); name != "" {
			return name
		}
	}
	return "script " + sha[:min(7, len(sha))]
}

// text returns what must be the same when a step is repeated.
func (g *game) text(r row) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.calls) == 0 {
		return strings.Join(r.lines, "; ")
	}
	var b strings.Builder
	for i := range g.calls {
		c := &g.calls[i]
		reply := inline(c.reply)
		switch {
		case strings.HasSuffix(c.name(), "scan"):
			reply = "(in any order)" // it depends on the hash seed of the engine
		case g.RandomTexts:
			reply = shape(c.reply)
		}
		if g.RandomTexts {
			fmt.Fprintf(&b, "%s, %d arguments, keys %q -> %s; ", c.name(), len(c.args)-1, c.keys, reply)
		} else {
			fmt.Fprintf(&b, "%s -> %s; ", quoting.Line(c.args), reply)
		}
	}
	return strings.TrimSuffix(b.String(), "; ")
}

// columnWidth is the largest width of a column of a table, in characters.
const columnWidth = 46

// table returns rows as a table: a line for each step, a column for each actor.
func (g *game) table(rows []row) string {
	var columns []int
	for n := range g.clock() + 1 {
		for _, r := range rows {
			if g.column(r.actor) == n || contains(r.more, n) {
				columns = append(columns, n)
				break
			}
		}
	}
	cells := [][]string{{"step"}}
	for _, n := range columns {
		cells[0] = append(cells[0], g.nameOf(n))
	}
	for i, r := range rows {
		for k, part := range append([]row{r}, r.more...) {
			number := fmt.Sprint(i + 1)
			if k > 0 {
				number = ""
			}
			for l, text := range wrapped(part.lines) {
				if l > 0 {
					number = ""
				}
				line := []string{number}
				for _, n := range columns {
					if n == g.column(part.actor) {
						line = append(line, text)
					} else {
						line = append(line, "")
					}
				}
				cells = append(cells, line)
			}
		}
	}
	return aligned(cells)
}

// column is the actor in whose column an actor is shown.
func (g *game) column(actor int) int { return min(actor, g.clock()) }

func contains(rows []row, actor int) bool {
	for _, r := range rows {
		if r.actor == actor {
			return true
		}
	}
	return false
}

// wrapped cuts lines that are wider than a column.
func wrapped(lines []string) (out []string) {
	for _, line := range lines {
		for utf8.RuneCountInString(line) > columnWidth {
			runes := []rune(line)
			cut := columnWidth
			if at := strings.LastIndexByte(string(runes[:columnWidth]), ' '); at > columnWidth/2 {
				cut = utf8.RuneCountInString(string(runes[:columnWidth])[:at])
			}
			out = append(out, string(runes[:cut]))
			line = "  " + strings.TrimPrefix(string(runes[cut:]), " ")
		}
		out = append(out, line)
	}
	return out
}

// aligned pads cells so that columns stand below each other.
func aligned(cells [][]string) string {
	widths := make([]int, len(cells[0]))
	for _, line := range cells {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, line := range cells {
		text := ""
		for i, cell := range line {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				text += pad + cell
			} else {
				text += "  " + cell + pad
			}
		}
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	return b.String()
}

// nameOf returns the name of an actor for people.
func (g *game) nameOf(actor int) string {
	if actor < len(g.Clients) {
		return g.Clients[actor].Name
	}
	if g.isCrash(actor) {
		return "the crash of " + g.Clients[actor-g.clock()-1].Name
	}
	return "clock"
}
