package luagen

import (
	"strings"
)

// Shrink takes out of a program what fails does not need: lines, what stands between brackets or
// between a block's ends, tokens. fails must hold for src, and holds for the result.
func Shrink(src string, fails func(src string) bool) string {
	for {
		before := len(src)
		src = removeRuns(strings.SplitAfter(src, "\n"), fails)
		src = removeGroups(src, fails)
		src = removeRuns(Tokens(src), fails)
		src = replaceTokens(src, fails)
		if len(src) >= before {
			return src
		}
	}
}

// removeRuns takes out runs of parts, long ones first.
func removeRuns(parts []string, fails func(string) bool) string {
	for size := max(len(parts)/2, 1); size > 0; size /= 2 {
		for at := 0; at+size <= len(parts); {
			try := append(append([]string{}, parts[:at]...), parts[at+size:]...)
			if len(try) > 0 && fails(strings.Join(try, "")) {
				parts = try
			} else {
				at += max(size/2, 1)
			}
		}
	}
	return strings.Join(parts, "")
}

// closes maps a token that opens a group to the one that closes it.
var closes = map[string]string{"(": ")", "{": "}", "[": "]", "function": "end", "do": "end", "if": "end", "repeat": "until"}

// removeGroups empties groups, replaces them and takes away their ends alone.
func removeGroups(src string, fails func(string) bool) string {
	for i := 0; ; i++ {
		tokens := Tokens(src)
		if i >= len(tokens) {
			return src
		}
		end := groupEnd(tokens, i)
		if end < 0 {
			continue
		}
		head, inner, tail := strings.Join(tokens[:i], ""), strings.Join(tokens[i+1:end], ""), strings.Join(tokens[end+1:], "")
		for _, middle := range []string{"", "nil", tokens[i] + tokens[end], tokens[i] + "()" + tokens[end], tokens[i] + "nil" + tokens[end],
			inner} {
			if try := head + middle + tail; len(try) < len(src) && fails(try) {
				src = try
				i = max(i-1, 0)
				break
			}
		}
	}
}

// groupEnd is where the group that begins at a token is closed, -1 when there is none.
func groupEnd(tokens []string, at int) int {
	if closes[tokens[at]] == "" {
		return -1
	}
	var open []string
	for i := at; i < len(tokens); i++ {
		t := tokens[i]
		switch {
		case closes[t] != "":
			open = append(open, closes[t])
		case len(open) > 0 && t == open[len(open)-1]:
			if open = open[:len(open)-1]; len(open) == 0 {
				return i
			}
		}
	}
	return -1
}

// replaceTokens puts simpler tokens in the places of others.
func replaceTokens(src string, fails func(string) bool) string {
	tokens := Tokens(src)
	for i, t := range tokens {
		for _, simple := range simpler(t) {
			tokens[i] = simple
			if fails(strings.Join(tokens, "")) {
				break
			}
			tokens[i] = t
		}
	}
	return strings.Join(tokens, "")
}

func simpler(t string) []string {
	switch {
	case t == "\n":
		return []string{" "}
	case len(t) <= 1 || blank(t):
		return nil
	case isDigit(t[0]):
		return []string{"1"}
	case t[0] == '\'' || t[0] == '"' || t[0] == '[':
		return []string{"''", "'a'"}
	}
	return nil
}
