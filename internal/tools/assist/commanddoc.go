package assist

import (
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// commandName returns the name of a command as people write it.
func commandName(s *cmdtable.Spec) string {
	if s.Parent != nil {
		return strings.ToUpper(s.Parent.Name + " " + s.Name)
	}
	return strings.ToUpper(s.Name)
}

// commandLabel returns a command with its arguments.
func commandLabel(s *cmdtable.Spec) string {
	return strings.TrimSpace(commandName(s) + " " + strings.Join(s.Texts(), " "))
}

// commandDoc describes a command in Markdown.
func commandDoc(s *cmdtable.Spec) string {
	var b strings.Builder
	fmt.Fprintf(&b, "```redis\n%s\n```\n\n%s.\n\n", commandLabel(s), s.Summary)
	facts := []string{"since " + s.Since.String()}
	if s.Complexity != "" {
		facts = append(facts, s.Complexity)
	}
	facts = append(facts, arity(s))
	fmt.Fprintf(&b, "%s\n", strings.Join(facts, " · "))
	if s.Deprecated != "" {
		fmt.Fprintf(&b, "\nDeprecated since %s", s.Deprecated)
		if s.ReplacedBy != "" {
			fmt.Fprintf(&b, ": use %s", s.ReplacedBy)
		}
		b.WriteString(".\n")
	}
	if s.Flags&cmdtable.NoScript != 0 {
		b.WriteString("\nRedis refuses it to scripts.\n")
	}
	for _, name := range subcommands(s) {
		fmt.Fprintf(&b, "\n- `%s`: %s", commandLabel(name), name.Summary)
	}
	return b.String()
}

// subcommands returns the subcommands that scripts may run.
func subcommands(s *cmdtable.Spec) []*cmdtable.Spec {
	var list []*cmdtable.Spec
	for _, sub := range s.Subs {
		if sub.Flags&cmdtable.NoScript == 0 {
			list = append(list, sub)
		}
	}
	return list
}

// arity says how many arguments a command takes, without its name.
func arity(s *cmdtable.Spec) string {
	name := 1
	if s.Parent != nil {
		name = 2
	}
	n, form := s.Arity-name, "%d argument%s"
	if s.Arity < 0 {
		n, form = -s.Arity-name, "%d argument%s or more"
	}
	plural := "s"
	if n == 1 {
		plural = ""
	}
	return fmt.Sprintf(form, n, plural)
}
