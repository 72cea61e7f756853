package lint

import "slices"

// Rule is one check.
type Rule struct {
	ID       string
	Severity Severity // the default
	Summary  string   // what it finds: one phrase
	Why      string   // why that is bad, and what to do; Markdown
	Bad      Example  // gives exactly one finding: this rule's
	Good     Example  // gives none

	check func(p *pass) // nil: something else than a walk over one script finds it
}

// Example is a script that shows a rule.
type Example struct {
	Script string
	Beside string // another script of the same folder, for rules that compare scripts
	Redis  string // the version of Redis that the script is for; "": DefaultRedis

	Servers []string // the servers that it is for
}

// Rules returns all rules, sorted by ID.
func Rules() []*Rule { return rules }

var rules = sorted(slices.Concat(syntaxRules, keyRules, commandRules, argumentRules, missingRules, placeRules, globalRules,
	fieldRules, localRules, flowRules, timeRules, replyRules, resultRules, numberRules, growthRules, moneyRules, serverRules, folderRules))

func sorted(list []*Rule) []*Rule {
	slices.SortFunc(list, func(a, b *Rule) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
	return list
}

// Find returns the rule with an ID, or nil.
func Find(id string) *Rule {
	for _, r := range rules {
		if r.ID == id {
			return r
		}
	}
	return nil
}
