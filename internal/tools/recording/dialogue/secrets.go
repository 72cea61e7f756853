package dialogue

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/tools/recording"
)

// mayHaveSecrets reports whether a command may have a password. Redis Sentinel is another server,
// whose command has no row.
func mayHaveSecrets(table *cmdtable.Table, name string) bool {
	if name == sentinel {
		return true
	}
	spec := table.Lookup(name)
	if spec == nil {
		return false
	}
	for _, s := range append([]*cmdtable.Spec{spec}, spec.Subs...) {
		if s.Passwords != nil || s.Line > 0 {
			return true
		}
	}
	return false
}

const sentinel = "SENTINEL"

// redact marks the arguments that are passwords, by the row of the command. It returns them, and
// whether the reply may have passwords.
func redact(table *cmdtable.Table, args []recording.Arg) (secrets []string, hideReply bool) {
	if len(args) < 2 {
		return nil, false
	}
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = a.Text
	}
	hide := func(list []int) {
		for _, i := range list {
			if i >= len(args) || args[i].Redacted {
				continue
			}
			args[i].Redacted = true
			secrets = append(append(secrets, words[i]), passwordsOfRule(words[i])...)
		}
	}
	spec := table.Resolve(words)
	switch {
	case strings.EqualFold(words[0], sentinel):
		for i := 3; i < len(args); i++ {
			hide([]int{i})
		}
		hideReply = strings.EqualFold(words[1], "CONFIG") && len(args) > 2 && strings.EqualFold(words[2], "GET")
	case spec == nil:
	case spec.Line > 0 && len(args) > spec.Line:
		return redact(table, args[spec.Line:])
	default:
		if spec.Passwords != nil {
			hide(spec.Passwords(words))
		}
		hideReply = spec.ShowsPasswords != nil && spec.ShowsPasswords(words)
	}
	return secrets, hideReply
}

// passwordsOfRule returns the passwords in a rule for a user. A password stands behind a character,
// and in a selector between spaces.
func passwordsOfRule(rule string) (plain []string) {
	inner, selector := strings.CutPrefix(rule, "(")
	if selector {
		plain = append(plain, inner)
	}
	for _, word := range append(strings.Fields(inner), rule) {
		if len(word) > 1 && (selector || strings.IndexByte("><#!", word[0]) >= 0) {
			plain = append(plain, word[1:])
		}
	}
	return plain
}

// shows reports whether an error of Redis repeats a password. Redis puts only the beginning of a
// long argument into an error, ends it at a NUL byte, and writes a space in place of a line break.
func shows(text, secret string) bool {
	secret, _, _ = strings.Cut(secret, "\x00")
	secret = strings.NewReplacer("\r", " ", "\n", " ").Replace(secret)
	secret = secret[:min(len(secret), shownSecret)]
	return secret != "" && strings.Contains(text, secret)
}

// shownSecret is less than what Redis shows of an argument in an error.
const shownSecret = 64
