package embedded

import "sync"

// effect is what a function or a method does with a string.
type effect struct {
	neutral bool // nothing that matters
	margin  margin
	format  format
	join    bool
	concat  bool
	changed bool // something that is not followed
}

// dedented is the margin that functions such as Python's textwrap.dedent remove.
func dedented() margin { return margin{common: true, blank: true, values: true, same: true} }

// functions lists functions whose result is their first argument, changed or not.
var functions = sync.OnceValue(func() map[string]effect {
	both := dedented()
	both.trim = true
	doc := margin{common: true, firstBreak: true, values: true}
	return map[string]effect{
		"dedent": {margin: dedented()}, "Dedent": {margin: dedented()}, "cleandoc": {margin: both},
		"indoc": {margin: doc}, "formatdoc": {margin: doc, format: braceFormat},
		"Sprintf": {format: printfFormat}, "sprintf": {format: printfFormat}, "format": {format: printfFormat}, "Format": {format: printfFormat},
		"TrimSpace": {margin: margin{trim: true}}, "trim": {margin: margin{trim: true}}, "Join": {join: true}, "join": {join: true},
		"Replace": {changed: true}, "ReplaceAll": {changed: true},
		"concat": {concat: true}, "string": {neutral: true}, "String": {neutral: true}, "b": {neutral: true}, "from": {neutral: true},
		"Some": {neutral: true}, "new": {neutral: true}, "bytes": {neutral: true}, "str": {neutral: true}, "text": {neutral: true},
	}
})

// methods lists methods of strings that keep the text, or change only white space.
var methods = sync.OnceValue(func() map[string]effect {
	trim := margin{trim: true}
	stripped := margin{common: true, values: true}
	neutral := effect{neutral: true}
	return map[string]effect{
		"trimIndent":    {margin: margin{common: true, firstBreak: true, lastBreak: true, values: true}},
		"trimMargin":    {margin: margin{bar: "|", firstBreak: true, lastBreak: true, values: true}},
		"stripIndent":   {margin: margin{common: true, lastLine: true, trailing: true, values: true}},
		"strip_heredoc": {margin: stripped}, "strip": {margin: trim}, "trim": {margin: trim}, "Trim": {margin: trim},
		"format": {format: braceFormat}, "formatted": {format: printfFormat}, "join": {join: true},
		"freeze": neutral, "to_s": neutral, "to_string": neutral, "to_owned": neutral, "into": neutral, "encode": neutral, "toString": neutral,
		"dup": neutral, "as_str": neutral, "as_bytes": neutral, "getBytes": neutral, "b": neutral, "force_encoding": neutral,
	}
})

// tagMargin is what a tag in front of a template removes.
func tagMargin(tag string) margin {
	if tag != "dedent" && tag != "outdent" {
		return margin{}
	}
	return margin{common: true, trim: true}
}

// method reads .name(…) or .name behind a string, and returns what it does.
func (e *evaluator) method(i, b int) (effect, int, bool) {
	switch e.at(i) {
	case ".", "?.", "->":
	case "[":
		if e.match[i] > 0 && e.match[i] < b {
			return effect{}, e.match[i] + 1, true
		}
		return effect{}, i, false
	default:
		return effect{}, i, false
	}
	if e.lang.concat == e.at(i) || i+1 >= b || !e.isWord(i+1) {
		return effect{}, i, false
	}
	m, next := methods()[e.at(i+1)], i+2
	if m.format == braceFormat && e.lang.name != "python" {
		m.format = printfFormat
	}
	if e.at(next) == "(" && e.match[next] > 0 && e.match[next] < b {
		return m, e.match[next] + 1, true
	}
	m.join = false
	return m, next, true
}
