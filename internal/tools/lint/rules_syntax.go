package lint

import "strings"

var (
	syntaxError = &Rule{
		ID: "syntax-error", Severity: Error,
		Summary: "a script that does not compile",
		Why:     "The message is the one of Redis. Nothing else is checked.",
		Bad:     Example{Script: "return redis.call('GET', KEYS[1]"},
		Good:    Example{Script: "return redis.call('GET', KEYS[1])"},
	}
	tooLong = &Rule{
		ID: "too-large", Severity: Error,
		Summary: "a text that is too large or too complex to be checked",
		Why:     "The limits are 2 MiB, and 1,000 operators in one expression.",
		Bad:     Example{Script: "return 1" + strings.Repeat("+1", 1001)},
		Good:    Example{Script: "return 1 + 1"},
	}
	badDirective = &Rule{
		ID: "bad-directive", Severity: Warning,
		Summary: "a comment for the linter that has no effect",
		Why: "It names a rule that does not exist, it is not understood, or it disables a rule that finds nothing\n" +
			"there.",
		Bad:  Example{Script: "return redis.call('GET', KEYS[1]) -- redmoon:disable no-such-rule"},
		Good: Example{Script: "return redis.call('GET', ARGV[1]) -- redmoon:disable undeclared-key"},
	}
	syntaxRules = []*Rule{syntaxError, tooLong, badDirective, badInclude}
)
