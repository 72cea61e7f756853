package command

import (
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/quoting"
)

// What can be wrong with a rule.
const (
	ruleSyntax      = "Syntax error"
	ruleUnknown     = "Unknown command or category name in ACL"
	ruleSubArgument = "Allowing first-arg of a subcommand is not supported"
	ruleNoPassword  = "The password you are trying to remove from the user does not exist"
	ruleBadHash     = "The password hash must be exactly 64 characters and contain only lowercase hexadecimal characters"
	ruleAllKeys     = "Adding a pattern after the * pattern (or the 'allkeys' flag) is not valid and does not have any effect. " +
		"Try 'resetkeys' to start with an empty list of patterns"
	ruleAllChannels = "Adding a pattern after the * pattern (or the 'allchannels' flag) is not valid and does not have any effect. " +
		"Try 'resetchannels' to start with an empty list of channels"
)

// mergeSelectors joins the words of each selector in parentheses to one rule. A word that opens another before the
// first is closed begins anew, as in Redis.
func mergeSelectors(rules []string) (merged []string, problem string) {
	open, start := "", ""
	for _, rule := range rules {
		switch {
		case strings.HasPrefix(rule, "(") && !strings.HasSuffix(rule, ")"):
			open, start = rule, rule
		case start == "":
			merged = append(merged, rule)
		default:
			open += " " + rule
			if strings.HasSuffix(rule, ")") {
				merged, start = append(merged, open), ""
			}
		}
	}
	if start != "" {
		return nil, oneLine("ERR Unmatched parenthesis in acl selector starting at '" + cut(start, len(start)) + "'.")
	}
	return merged, ""
}

// apply applies one rule to a user. The result says what is wrong with it, or is "".
func (a *access) apply(u *User, rule string) (problem string) {
	switch word := strings.ToLower(cut(rule, len(rule))); {
	case rule == "": // says nothing
	case word == "on":
		u.flags |= userOn
	case word == "off":
		u.flags &^= userOn
	case word == "nopass":
		u.flags |= userNoPass
		u.passwords = nil
	case word == "resetpass":
		u.flags &^= userNoPass
		u.passwords = nil
	case word == "sanitize-payload":
		u.flags = u.flags&^userSkipSanitize | userSanitize
	case word == "skip-sanitize-payload":
		u.flags = u.flags&^userSanitize | userSkipSanitize
	case word == "clearselectors":
		u.selectors = u.selectors[:1:1]
	case word == "reset":
		for _, r := range []string{"resetpass", "off", "sanitize-payload", "clearselectors"} {
			a.apply(u, r)
		}
		u.selectors[0] = a.newSelector()
	case word != "" && strings.Contains("><#!", word[:1]):
		return u.applyPassword(rule)
	case strings.HasPrefix(rule, "(") && strings.HasSuffix(rule, ")"):
		s := a.newSelector()
		rules, ok := quoting.Words(rule[1 : len(rule)-1])
		if !ok { // a selector without rules, as in Redis
			rules = nil
		}
		for _, r := range rules {
			if problem := a.applySelector(s, r); problem != "" {
				return problem
			}
		}
		u.selectors = append(u.selectors, s)
	default:
		return a.applySelector(u.selectors[0], rule)
	}
	return ""
}

// applyPassword adds or removes a password, given as it is or as its hash.
func (u *User) applyPassword(rule string) (problem string) {
	hash := rule[1:]
	if rule[0] == '>' || rule[0] == '<' {
		hash = hashPassword(hash)
	} else if !isHash(hash) {
		return ruleBadHash
	}
	i := slices.Index(u.passwords, hash)
	if rule[0] == '>' || rule[0] == '#' {
		if i < 0 {
			u.passwords = append(u.passwords, hash)
		}
		u.flags &^= userNoPass
		return ""
	}
	if i < 0 {
		return ruleNoPassword
	}
	u.passwords = slices.Delete(u.passwords, i, i+1)
	return ""
}

// isHash reports whether s is a SHA-256 in lower case.
func isHash(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}

// applySelector applies a rule about commands, keys or channels.
func (a *access) applySelector(s *selector, rule string) (problem string) {
	text := cut(rule, len(rule)) // names are read as C strings
	switch word := strings.ToLower(text); {
	case word == "allkeys", word == "~*":
		s.allKeys, s.keys = true, nil
	case word == "resetkeys":
		s.allKeys, s.keys = false, nil
	case word == "allchannels", word == "&*":
		s.allChannels, s.channels = true, nil
	case word == "resetchannels":
		s.allChannels, s.channels = false, nil
	case word == "allcommands", word == "+@all":
		s.allowAll(true)
	case word == "nocommands", word == "-@all":
		s.allowAll(false)
	case text == "":
		return ruleSyntax
	case text[0] == '~', text[0] == '%':
		return s.applyKeys(rule)
	case text[0] == '&':
		return s.applyChannel(rule[1:])
	case text[0] == '+', text[0] == '-':
		return a.applyCommand(s, text[1:], text[0] == '+')
	default:
		return ruleSyntax
	}
	return ""
}

func (s *selector) applyKeys(rule string) (problem string) {
	if s.allKeys {
		return ruleAllKeys
	}
	p := keyPattern{read: true, write: true, pattern: rule[1:]}
	if rule[0] == '%' {
		p.read, p.write = false, false
		for p.pattern != "" && p.pattern[0] != '~' {
			switch c := p.pattern[0]; {
			case (c == 'R' || c == 'r') && !p.read:
				p.read = true
			case (c == 'W' || c == 'w') && !p.write:
				p.write = true
			default:
				return ruleSyntax
			}
			p.pattern = p.pattern[1:]
		}
		if !p.read && !p.write {
			return ruleSyntax
		}
		p.pattern = strings.TrimPrefix(p.pattern, "~")
	}
	if hasSpaces(p.pattern) {
		return ruleSyntax
	}
	s.addKeys(p)
	return ""
}

func (s *selector) applyChannel(pattern string) (problem string) {
	switch {
	case s.allChannels:
		return ruleAllChannels
	case hasSpaces(pattern):
		return ruleSyntax
	}
	if !slices.Contains(s.channels, pattern) {
		s.channels = append(s.channels, pattern)
	}
	return ""
}

// applyCommand allows or forbids a command, a subcommand (config|get), a category (@list) or, when it
// allows, a command with one first argument (select|0).
func (a *access) applyCommand(s *selector, name string, yes bool) (problem string) {
	if category, ok := strings.CutPrefix(name, "@"); ok {
		cat := categoryOf(category)
		if cat == 0 {
			return ruleUnknown
		}
		s.allowCategory(a.table, cat, yes)
		return ""
	}
	bar := strings.LastIndexByte(name, '|')
	if yes && bar >= 0 {
		parent, arg := a.table.byFullName(name[:bar]), name[bar+1:]
		switch {
		case parent == nil:
			return ruleUnknown
		case parent.Parent != nil:
			return ruleSubArgument
		case arg == "":
			return ruleSyntax
		case len(parent.Subs) == 0:
			s.allowArgument(parent, arg)
			return ""
		}
	}
	spec := a.table.byFullName(name)
	if spec == nil {
		return ruleUnknown
	}
	s.allow(spec, yes)
	return ""
}

// categoryOf finds a category by its name, in any case; 0 when there is none.
func categoryOf(name string) Cat {
	for _, n := range catNames() {
		if strings.EqualFold(n.name, name) {
			return n.cat
		}
	}
	return 0
}

// hasSpaces reports whether a name or pattern holds what would break it in a file of users.
func hasSpaces(s string) bool {
	for i := range len(s) {
		if s[i] == 0 || isSpace(s[i]) {
			return true
		}
	}
	return false
}
