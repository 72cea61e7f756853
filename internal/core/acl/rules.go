package acl

import (
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/quoting"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
)

// The problems of rules.
const (
	ruleSyntax      = "Syntax error"
	RuleUnknown     = "Unknown command or category name in ACL"
	ruleSubArgument = "Allowing first-arg of a subcommand is not supported"
	ruleNoPassword  = "The password you are trying to remove from the user does not exist"
	ruleBadHash     = "The password hash must be exactly 64 characters and contain only lowercase hexadecimal characters"
	ruleBadDatabase = "The provided database ID is out of range"
	ruleAllKeys     = "Adding a pattern after the * pattern (or the 'allkeys' flag) is not valid and does not have any effect. " +
		"Try 'resetkeys' to start with an empty list of patterns"
	ruleAllChannels = "Adding a pattern after the * pattern (or the 'allchannels' flag) is not valid and does not have any effect. " +
		"Try 'resetchannels' to start with an empty list of channels"
)

// MergeSelectors joins the words of each selector in parentheses to one rule. A word that opens
// another selector before the first is closed starts again; with [servers.SelectorsEndFirst] it
// belongs to the first.
func (a *List) MergeSelectors(rules []string) (merged []string, problem string) {
	open, start := "", ""
	for _, rule := range rules {
		switch {
		case strings.HasPrefix(rule, "(") && !strings.HasSuffix(rule, ")") && (start == "" || !a.table.Server().Has(servers.SelectorsEndFirst)):
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
		return nil, errtext.OneLine("ERR Unmatched parenthesis in acl selector starting at '" + errtext.Cut(start, len(start)) + "'.")
	}
	return merged, ""
}

// Apply applies one rule to a user. problem says what is wrong with the rule, or is "".
func (a *List) Apply(u *User, rule string) (problem string) {
	switch word := strings.ToLower(errtext.Cut(rule, len(rule))); {
	case rule == "": // no effect
	case word == "on":
		u.Flags |= userOn
	case word == "off":
		u.Flags &^= userOn
	case word == "nopass":
		u.Flags |= UserNoPass
		u.Passwords = nil
	case word == "resetpass":
		u.Flags &^= UserNoPass
		u.Passwords = nil
	case (word == "sanitize-payload" || word == "skip-sanitize-payload") && a.table.Server().Has(servers.NoSanitizeFlags): // no effect
	case word == "sanitize-payload":
		u.Flags = u.Flags&^userSkipSanitize | userSanitize
	case word == "skip-sanitize-payload":
		u.Flags = u.Flags&^userSanitize | userSkipSanitize
	case word == "clearselectors":
		u.Selectors = u.Selectors[:1:1]
	case word == "reset":
		for _, r := range []string{"resetpass", "off", "sanitize-payload", "clearselectors"} {
			a.Apply(u, r)
		}
		u.Selectors[0] = a.newSelector()
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
		u.Selectors = append(u.Selectors, s)
	default:
		return a.applySelector(u.Selectors[0], rule)
	}
	return ""
}

// applyPassword adds or removes a password, which is given as text or as its hash.
func (u *User) applyPassword(rule string) (problem string) {
	hash := rule[1:]
	if rule[0] == '>' || rule[0] == '<' {
		hash = hashPassword(hash)
	} else if !isHash(hash) {
		return ruleBadHash
	}
	i := slices.Index(u.Passwords, hash)
	if rule[0] == '>' || rule[0] == '#' {
		if i < 0 {
			u.Passwords = append(u.Passwords, hash)
		}
		u.Flags &^= UserNoPass
		return ""
	}
	if i < 0 {
		return ruleNoPassword
	}
	u.Passwords = slices.Delete(u.Passwords, i, i+1)
	return ""
}

// isHash reports whether s is a SHA-256 in lower-case hex.
func isHash(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}

// applySelector applies a rule about commands, keys, channels or databases.
func (a *List) applySelector(s *Selector, rule string) (problem string) {
	text := errtext.Cut(rule, len(rule)) // names are read as C strings
	switch word := strings.ToLower(text); {
	case word == "allkeys", word == "~*":
		s.allKeys, s.keys = true, nil
	case word == "resetkeys":
		s.allKeys, s.keys = false, nil
	case word == "allchannels", word == "&*":
		s.AllChannels, s.Channels = true, nil
	case word == "resetchannels":
		s.AllChannels, s.Channels = false, nil
	case word == "alldbs" && a.databases():
		s.someDBs, s.dbs = false, nil
	case word == "resetdbs" && a.databases():
		s.someDBs, s.dbs = true, nil
	case strings.HasPrefix(word, "db=") && a.databases():
		return s.applyDatabases(word[len("db="):])
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
		problem = a.applyCommand(s, text[1:], text[0] == '+')
		if problem == "" {
			s.noteRule(text[1:], text[0] == '+')
		}
		return problem
	default:
		return ruleSyntax
	}
	return ""
}

// databases reports whether there are rights to databases.
func (a *List) databases() bool { return a.table.Server().Has(servers.DatabaseRights) }

func (s *Selector) applyKeys(rule string) (problem string) {
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
	if HasSpaces(p.pattern) {
		return ruleSyntax
	}
	s.addKeys(p)
	return ""
}

func (s *Selector) applyChannel(pattern string) (problem string) {
	switch {
	case s.AllChannels:
		return ruleAllChannels
	case HasSpaces(pattern):
		return ruleSyntax
	}
	if !slices.Contains(s.Channels, pattern) {
		s.Channels = append(s.Channels, pattern)
	}
	return ""
}

// applyCommand allows or denies a command, a subcommand (config|get), a category (@list) or, when
// it allows, a command with one first argument (select|0).
func (a *List) applyCommand(s *Selector, name string, yes bool) (problem string) {
	if category, ok := strings.CutPrefix(name, "@"); ok {
		cat := CategoryOf(category)
		if cat == 0 {
			return RuleUnknown
		}
		s.allowCategory(a.table, cat, yes)
		return ""
	}
	bar := strings.LastIndexByte(name, '|')
	if yes && bar >= 0 {
		parent, arg := a.table.ByFullName(name[:bar]), name[bar+1:]
		switch {
		case parent == nil:
			return RuleUnknown
		case parent.Parent != nil:
			return ruleSubArgument
		case arg == "":
			return ruleSyntax
		case len(parent.Subs) == 0:
			s.allowArgument(parent, arg)
			return ""
		}
	}
	spec := a.table.ByFullName(name)
	if spec == nil {
		return RuleUnknown
	}
	s.allow(spec, yes)
	return ""
}

// CategoryOf returns the category of a name in any case, or 0.
func CategoryOf(name string) cmdtable.Cat {
	for _, n := range cmdtable.CatNames() {
		if strings.EqualFold(n.Name, name) {
			return n.Cat
		}
	}
	return 0
}

// HasSpaces reports whether a name or pattern contains white space or NUL, which an ACL file cannot
// represent.
func HasSpaces(s string) bool {
	for i := range len(s) {
		if s[i] == 0 || parse.IsSpace(s[i]) {
			return true
		}
	}
	return false
}
