package dialogue

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/glob"
	"github.com/redmoon-lua/redmoon/internal/recording"
)

// These commands have passwords among their arguments, or in their replies. Redis hides the same
// from MONITOR and SLOWLOG, and less: here a malformed command hides everything that could be a
// password.

// mayHaveSecrets reports whether a command, whose name is in upper case, may have a password.
func mayHaveSecrets(name string) bool {
	switch name {
	case "AUTH", "HELLO", "CONFIG", "ACL", "MIGRATE", "SENTINEL", "MODULE":
		return true
	}
	return false
}

// redact marks the arguments that are passwords. It returns them, and whether the reply may have
// passwords.
func redact(args []recording.Arg) (secrets []string, hideReply bool) {
	if len(args) < 2 || !mayHaveSecrets(strings.ToUpper(args[0].Text)) {
		return nil, false
	}
	hide := func(from, to int) {
		for i := max(from, 1); i < min(to, len(args)); i++ {
			if !args[i].Redacted {
				args[i].Redacted = true
				secrets = append(secrets, args[i].Text)
			}
		}
	}
	sub := strings.ToUpper(args[1].Text)
	switch strings.ToUpper(args[0].Text) {
	case "AUTH":
		from := 1
		if len(args) == 3 {
			from = 2 // the user stays
		}
		hide(from, len(args))
	case "HELLO":
		redactHello(args, hide)
	case "MIGRATE":
		redactMigrate(args, hide)
	case "MODULE":
		hide(3, len(args))
	case "SENTINEL":
		hide(3, len(args))
		hideReply = sub == "CONFIG" && len(args) > 2 && strings.EqualFold(args[2].Text, "GET")
	case "ACL":
		switch sub {
		case "SETUSER":
			secrets = append(secrets, redactRules(args, hide)...)
		case "LIST", "GETUSER", "GENPASS":
			hideReply = true
		case "DRYRUN":
			if len(args) > 3 {
				return redact(args[3:])
			}
		case "CAT", "DELUSER", "LOG":
		default:
			hide(2, len(args)) // a misspelled SETUSER, for example
			for _, s := range secrets {
				if s != "" && strings.IndexByte("><#!", s[0]) >= 0 {
					secrets = append(secrets, s[1:])
				}
			}
		}
	case "CONFIG":
		switch sub {
		case "SET":
			for i := 2; i < len(args); i += 2 {
				if len(args)%2 != 0 { // a value is missing, or a name
					hide(3, len(args))
				} else if secretParameter(args[i].Text) {
					hide(i+1, i+2)
				}
			}
		case "GET":
			for _, a := range args[2:] {
				hideReply = hideReply || findsSecretParameter(a.Text)
			}
		default:
			hide(2, len(args)) // a misspelled SET, for example
		}
	}
	return secrets, hideReply
}

// redactHello hides the passwords of HELLO.
func redactHello(args []recording.Arg, hide func(from, to int)) {
	for i := 2; i < len(args); {
		switch strings.ToUpper(args[i].Text) {
		case "AUTH":
			if i+2 >= len(args) {
				hide(i+1, len(args))
				return
			}
			hide(i+2, i+3)
			i += 3
		case "SETNAME":
			i += 2
		default: // Redis refuses it
			hide(i, len(args))
			return
		}
	}
}

// redactMigrate hides the passwords of MIGRATE.
func redactMigrate(args []recording.Arg, hide func(from, to int)) {
	for i := 6; i < len(args); i++ {
		switch strings.ToUpper(args[i].Text) {
		case "COPY", "REPLACE":
		case "AUTH":
			hide(i+1, i+2)
			i++
		case "AUTH2":
			hide(i+2, i+3)
			i += 2
		case "KEYS":
			return
		default: // Redis refuses it
			hide(i, len(args))
			return
		}
	}
}

// redactRules hides the rules of ACL SETUSER that are not known to be harmless. It returns the
// passwords in them, which stand behind a character.
func redactRules(args []recording.Arg, hide func(from, to int)) (plain []string) {
	for i := 3; i < len(args); i++ {
		rule := args[i].Text
		if harmlessRules(rule) {
			continue
		}
		hide(i, i+1)
		for _, word := range strings.Fields(strings.TrimPrefix(rule, "(")) {
			if len(word) > 1 {
				plain = append(plain, word[1:])
			}
		}
		if len(rule) > 1 {
			plain = append(plain, rule[1:])
		}
	}
	return plain
}

// harmlessRules reports whether an argument of ACL SETUSER cannot have a password: it is a rule for
// keys, channels or commands, a selector of such rules, or a known word.
func harmlessRules(rule string) bool {
	inner, selector := strings.CutPrefix(rule, "(")
	if !selector {
		return harmlessRule(rule)
	}
	for _, word := range strings.Fields(inner) {
		if !harmlessRule(word) {
			return false
		}
	}
	return true
}

func harmlessRule(rule string) bool {
	if rule != "" && strings.IndexByte("~%&+-@)", rule[0]) >= 0 {
		return true
	}
	switch strings.TrimSuffix(strings.ToLower(rule), ")") {
	case "on",
		"off",
		"nopass",
		"resetpass",
		"allkeys",
		"resetkeys",
		"allchannels",
		"resetchannels",
		"allcommands",
		"nocommands",
		"reset",
		"sanitize-payload",
		"skip-sanitize-payload",
		"clearselectors":
		return true
	}
	return false
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

// secretParameters are the parameters that hold passwords.
var secretParameters = []string{
	"requirepass", "masterauth", "masteruser", "tls-key-file-pass", "tls-client-key-file-pass",
	"sentinel-pass", "primaryauth", "primaryuser",
}

func secretParameter(name string) bool {
	name = strings.ToLower(name)
	for _, secret := range secretParameters {
		if name == secret {
			return true
		}
	}
	return strings.Contains(name, "pass") ||
		strings.Contains(name, "auth") && name != "tls-auth-clients"
}

// findsSecretParameter reports whether a pattern of CONFIG GET matches a parameter that holds a
// password.
func findsSecretParameter(pattern string) bool {
	pattern = strings.ToLower(pattern)
	for _, name := range secretParameters {
		if glob.Match(pattern, name, false) {
			return true
		}
	}
	return secretParameter(pattern)
}
