package embedded

import "strings"

// define collects the names that get a value that may be a string.
func (e *evaluator) define() {
	for i := range e.tokens {
		if from := i + 1; e.assigns(i) && e.startsString(from) {
			if name := e.nameBefore(i); name != "" {
				if e.at(from) == "await" || e.at(from) == "new" {
					from++
				}
				e.defined[name] = append(e.defined[name], definition{from, e.end(from)})
			}
		}
	}
}

// assigns reports whether a token stands between a name and its value.
func (e *evaluator) assigns(i int) bool {
	switch e.at(i) {
	case "=", ":=":
		return true
	case "=>":
		return e.lang.name == "php" || e.lang.name == "ruby"
	case ":":
		return e.lang.name != "kotlin" && e.lang.name != "rust" && e.lang.name != "java"
	}
	return false
}

// startsString reports whether a value that begins at a token may be a string.
func (e *evaluator) startsString(i int) bool {
	if e.isString(i) {
		return true
	}
	switch e.at(i) {
	case "(":
		return e.isString(i+1) || e.at(i+1) == "("
	case "[":
		return e.isString(i + 1)
	}
	if !e.isWord(i) {
		return false
	}
	name, next := e.chain(i, min(i+10, len(e.tokens)))
	if _, ok := functions()[name]; ok {
		return true
	}
	return e.isString(next) || e.at(next) == e.lang.concat
}

// nameBefore returns the name that gets a value by the token i, or "".
func (e *evaluator) nameBefore(i int) string {
	k := i - 1
	if e.isString(k) && e.at(i) != "=" { // a key
		lit := e.tokens[k].lit
		if lit.bodyTo-lit.bodyFrom > 100 {
			return ""
		}
		return e.text[lit.bodyFrom:lit.bodyTo]
	}
	if e.at(i) == "=" && (e.lang.name != "java" && e.lang.name != "csharp" && e.lang.name != "ruby" && e.lang.name != "php") {
		for back := k; back > max(0, k-12) && !strings.Contains(" ; { } ( , = ", " "+e.at(back)+" "); back-- {
			before := back - 1
			if e.at(before) == ")" && e.match[before] > 0 { // a function that is an expression
				before = e.match[before] - 1
			}
			if e.at(back) == ":" && e.isWord(before) {
				return strings.TrimLeft(e.at(before), "@$")
			}
			if e.tokens[back].breaks {
				break
			}
		}
	}
	if e.at(k) == "]" && e.match[k] > 0 && e.isString(k-1) {
		k--
		return e.text[e.tokens[k].lit.bodyFrom:e.tokens[k].lit.bodyTo]
	}
	if !e.isWord(k) {
		return ""
	}
	if e.lang.name == "go" && e.isWord(k-1) && !strings.Contains(" const var return ", " "+e.at(k-1)+" ") && !e.tokens[k].breaks {
		k--
	}
	name := strings.TrimLeft(e.at(k), "@$")
	if name == "default" || name == "case" || name == "return" {
		return ""
	}
	return name
}
