package lint

import (
	"slices"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// refused returns the place of a constant argument that the command never accepts, although its
// syntax does, and why. The place is 0 if there is none.
func (c *call) refused(syntax []cmdtable.Arg) (at int, why string) {
	from := len(c.words) - len(c.typed()) // the first argument that need not be there
	for len(syntax) > 0 && !syntax[0].Optional && !syntax[0].Multiple && syntax[0].Token == "" && from < len(c.words) {
		switch a := &syntax[0]; {
		case a.Positive && isIndex(c.words[from]) && !isPositive(c.words[from]):
			return from, "takes a number above 0 here"
		case c.spec.Lifetime == cmdtable.LifetimeSet && (a.Type == "integer" || a.Type == "unix-time") && !isInteger(c.words[from]):
			return from, "takes an integer, not " + strconv.Quote(c.words[from])
		}
		syntax, from = syntax[1:], from+1
	}
	switch c.spec.Range.Kind {
	case cmdtable.ByIndexOrOption:
		return c.wrongRange(c.spec.Range.At)
	case cmdtable.ByLex:
		return wrongBound(c.words, c.spec.Range.At, isLexBound, "a bound that begins with [ or (, or is - or +")
	}
	if tokens(syntax, map[string]bool{})["GT"] {
		return exclusive(c.words, from)
	}
	return notPositive(c.words, from, positive(syntax, nil))
}

// positive appends the keywords of a syntax behind which there is a number above 0.
func positive(syntax []cmdtable.Arg, keywords []string) []string {
	for i := range syntax {
		if syntax[i].Positive && syntax[i].Token != "" {
			keywords = append(keywords, syntax[i].Token)
		}
		keywords = positive(syntax[i].Args, keywords)
	}
	return keywords
}

// exclude are the conditions of EXPIRE and ZADD that exclude each other.
var exclude = map[string][]string{"NX": {"XX", "GT", "LT"}, "XX": {"NX"}, "GT": {"NX", "LT"}, "LT": {"NX", "GT"}}

// exclusive returns the first of the conditions from a place on that another one before it
// excludes, or the INCR of ZADD if it has more than one element.
func exclusive(words []string, from int) (at int, why string) {
	var before []string
	increment := 0
	for i := from; i < len(words); i++ {
		w := strings.ToUpper(words[i])
		for _, other := range exclude[w] {
			if slices.Contains(before, other) {
				return i, "does not take " + other + " and " + w + " together"
			}
		}
		switch {
		case w == "INCR":
			increment = i
		case exclude[w] == nil && w != "CH": // the first score of ZADD
			if increment > 0 && len(words)-i > 2 {
				return increment, "takes one score and member with INCR"
			}
			return 0, ""
		}
		before = append(before, w)
	}
	return 0, ""
}

// notPositive returns the first number behind one of some keywords that is not above 0.
func notPositive(words []string, from int, keywords []string) (at int, why string) {
	for i := from; i+1 < len(words); i++ {
		if slices.Contains(keywords, strings.ToUpper(words[i])) && isIndex(words[i+1]) && !isPositive(words[i+1]) {
			return i + 1, "takes a number above 0 here"
		}
	}
	return 0, ""
}

// wrongRange finds a bound of ZRANGE, at a place or behind it, that its options do not take. The
// options begin two places later.
func (c *call) wrongRange(from int) (at int, why string) {
	options := from + 2
	if c.unknownFrom(options) {
		return 0, ""
	}
	score, lex := c.option(options, "BYSCORE"), c.option(options, "BYLEX")
	limit := 0 // the last one counts, and -1 elements are none
	for i := options; i < len(c.words); i++ {
		switch w := strings.ToUpper(c.words[i]); {
		case w == "LIMIT":
			limit = i
		case w == "WITHSCORES" && lex:
			return i, "does not take WITHSCORES with BYLEX"
		}
	}
	if limit > 0 && !score && !lex && limit+2 < len(c.words) && c.words[limit+2] != "-1" {
		return limit, "takes LIMIT only with BYSCORE or BYLEX"
	}
	switch {
	case score:
		return wrongBound(c.words, from, isFloat, "a score with BYSCORE")
	case lex:
		return wrongBound(c.words, from, isLexBound, "a bound that begins with [ or (, or is - or +, with BYLEX")
	}
	return wrongBound(c.words, from, isIndex, "an index without BYSCORE or BYLEX, which is an integer")
}

// wrongBound returns the first of two bounds that is not of the form that is wanted.
func wrongBound(words []string, from int, fits func(string) bool, want string) (at int, why string) {
	for i := from; i < from+2 && i < len(words); i++ {
		if words[i] != unknownWord && !fits(words[i]) {
			return i, "takes " + want
		}
	}
	return 0, ""
}

// isIndex reports whether a word is an integer exactly as Redis reads it.
func isIndex(w string) bool {
	n, err := strconv.ParseInt(w, 10, 64)
	return err == nil && strconv.FormatInt(n, 10) == w
}

// isPositive reports whether an integer is above 0.
func isPositive(w string) bool { return w != "0" && !strings.HasPrefix(w, "-") }

// isLexBound reports whether a word is a bound of BYLEX.
func isLexBound(w string) bool {
	return w == "-" || w == "+" || strings.HasPrefix(w, "[") || strings.HasPrefix(w, "(")
}

// isCount reports whether an argument says how many keys or fields follow it.
func (c *call) isCount(at int) bool {
	return at > 0 && strings.EqualFold(c.words[at-1], "FIELDS") || slices.ContainsFunc(c.spec.Keys, func(k cmdtable.KeySpec) bool {
		return k.KeyNum && k.Index+k.NumIdx == at
	})
}
