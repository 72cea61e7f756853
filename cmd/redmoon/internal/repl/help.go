package repl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
)

const generalHelp = `redmoon (Redis %s)

  COMMAND         runs a Redis command; N COMMAND runs it N times
  = EXPRESSION    runs Lua, at a stop inside the stopped function
  help COMMAND    describes a Redis command: help set, help config get
  :help COMMAND   describes a command of the prompt
  help @GROUP     the commands of a group:
%s
`

const generalEnd = `A name may be shortened to a unique prefix. At a stop the letters work without a colon, and an empty
line repeats the last step. Ctrl-C clears the line, stops a script that has written nothing, and pauses a
script that is debugged. Tab completes. Quotes work as in redis-cli: "a\x00b\n" with escapes, 'a b' without.`

// helper describes the commands of the prompt and of Redis.
type helper struct {
	own     []command
	redis   engine.Commands
	palette palette
	width   func() int // columns of the terminal
}

// help returns the help text for the words after "help".
func (h *helper) help(about string) string {
	words := strings.Fields(about)
	if len(words) == 0 {
		return h.generalHelp()
	}
	if group, ok := strings.CutPrefix(words[0], "@"); ok {
		return groupHelp(h.redis, group, h.columns())
	}
	name, own := strings.CutPrefix(words[0], ":")
	doc, redis := h.redis.Describe(words...)
	if c, err := find(h.own, name); err == nil && (own || !redis) {
		return h.ownHelp(c)
	}
	if !redis {
		return fmt.Sprintf("Unknown command %q; \"help\" lists the commands.\n", words[0])
	}
	text := redisHelp(doc, h.columns())
	if c, err := find(h.own, name); err == nil && c.name == name {
		text += fmt.Sprintf("  (\":help :%s\" describes the command of the prompt.)\n\n", name)
	}
	return text
}

func (h *helper) generalHelp() string {
	var b strings.Builder
	fmt.Fprintf(&b, generalHelp, h.redis.Version(), wrap(strings.Join(groups(h.redis), " "), h.columns(), strings.Repeat(" ", 18)))
	width := 0
	for i := range h.own {
		width = max(width, len(h.own[i].name))
	}
	for _, group := range groupNames() {
		b.WriteString(h.palette.bold(group) + "\n")
		for i := range h.own {
			if c := &h.own[i]; c.group == group {
				head := fmt.Sprintf("  %-1s :%-*s  ", c.letter, width, c.name)
				b.WriteString(hang(head, strings.ReplaceAll(c.help, "`", ""), h.columns()))
			}
		}
	}
	return b.String() + "\n" + wrap(generalEnd, h.columns(), "")
}

// columns is the width of help texts: that of the terminal, from 40 to 100.
func (h *helper) columns() int {
	if h.width == nil {
		return 80
	}
	return max(40, min(h.width(), 100))
}

// hang returns a head with a text beside it, which is broken into lines of at most width
// characters.
func hang(head, text string, width int) string {
	indent := strings.Repeat(" ", len(head))
	return head + strings.TrimPrefix(wrap(text, width, indent), indent)
}

// ownHelp returns the help text of a command of the prompt.
func (h *helper) ownHelp(c *command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n  %s\n", h.palette.bold(strings.TrimSpace(":"+c.name+" "+c.args)))
	b.WriteString(wrap(strings.ReplaceAll(c.help, "`", ""), h.columns(), "  "))
	for _, m := range c.more {
		b.WriteString(wrap(strings.ReplaceAll(m, "`", ""), h.columns(), "  "))
	}
	var also []string
	if c.letter != "" {
		also = append(also, c.letter)
	}
	for _, a := range c.aliases {
		also = append(also, ":"+a)
	}
	field(&b, "also", strings.Join(also, " "))
	field(&b, "works", c.where.String())
	return b.String() + "\n"
}

// wrap breaks a text into lines of at most width characters.
func wrap(text string, width int, indent string) string {
	var b strings.Builder
	line := indent
	for _, word := range strings.Fields(text) {
		if len(line)+1+len(word) > width && line != indent {
			b.WriteString(line + "\n")
			line = indent
		}
		if line != indent {
			line += " "
		}
		line += word
	}
	return b.String() + line + "\n"
}

func redisHelp(doc engine.CommandDoc, width int) string {
	var b strings.Builder
	b.WriteString("\n" + hang("  ", strings.TrimRight(doc.Name+" "+doc.Arguments, " "), width))
	b.WriteString(hang("  summary: ", doc.Summary, width))
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

// groupHelp lists the Redis commands of a group, one on each line.
func groupHelp(cmds engine.Commands, group string, columns int) string {
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
		return fmt.Sprintf("Unknown group %q; the groups are: %s\n", group, strings.Join(groups(cmds), " "))
	}
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(hang(fmt.Sprintf("  %-*s  ", width, l[0]), l[1], columns))
	}
	return b.String()
}

// groups returns the groups of Redis commands, sorted.
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
