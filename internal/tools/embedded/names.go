package embedded

import (
	"slices"
	"strings"
)

// owners returns for each token the name of the nearest function around it, or "".
func (f *finder) owners() []string {
	if f.lang.indented {
		return f.ownersByIndent()
	}
	type scope struct {
		name  string
		close int
	}
	var open []scope
	pending := ""
	owners := make([]string, len(f.tokens))
	for i := range f.tokens {
		for n := len(open); n > 0 && open[n-1].close <= i; n-- {
			open = open[:n-1]
		}
		if n := len(open); n > 0 {
			owners[i] = open[n-1].name
		}
		switch {
		case slices.Contains(f.lang.functions, f.at(i)):
			next := i + 1
			if f.at(next) == "(" && f.match[next] > 0 && f.lang.name == "go" {
				next = f.match[next] + 1
			}
			pending = f.functionName(i, next)
		case f.at(i) == ";" && f.parent[i] >= 0 && f.at(f.parent[i]) == "{":
			pending = ""
		case f.at(i) == "{" && f.match[i] > i:
			name := pending
			if name == "" {
				name = f.headName(i)
			}
			pending = ""
			if name != "" {
				open = append(open, scope{name, f.match[i]})
			}
		}
	}
	return owners
}

// functionName returns the name behind the word function, or the name of the variable that the
// function is given to.
func (f *finder) functionName(i, next int) string {
	if f.isWord(next) && (f.lang.name != "go" || f.at(next+1) == "(" || f.at(next+1) == "[") {
		return f.at(next)
	}
	if f.assigns(i - 1) {
		return f.nameBefore(i - 1)
	}
	return ""
}

// headName returns the name of a method whose body begins at a token: name(…) {, with words such as
// throws between them, or name = (…) => {.
func (f *finder) headName(i int) string {
	k := i - 1
	for n := 0; n < 12 && k > 0 && f.at(k) != ")" && f.at(k) != "{" && f.at(k) != "}" && f.at(k) != ";"; n++ {
		k--
	}
	if f.at(k) != ")" || f.match[k] < 1 {
		return ""
	}
	before := f.match[k] - 1
	if f.at(before) == "async" {
		before--
	}
	if f.assigns(before) {
		return f.nameBefore(before)
	}
	name := f.at(before)
	const statements = " if for while switch catch with return foreach elseif using lock fixed synchronized when match "
	if !f.isWord(before) || slices.Contains(f.lang.functions, name) || strings.Contains(statements, " "+name+" ") {
		return ""
	}
	return name
}

// ownersByIndent is owners for languages whose blocks are indented.
func (f *finder) ownersByIndent() []string {
	type scope struct {
		name   string
		indent int
	}
	var open []scope
	owners := make([]string, len(f.tokens))
	indent := 0
	for i, t := range f.tokens {
		if t.breaks || i == 0 {
			indent = t.from - 1 - strings.LastIndexByte(f.text[:t.from], '\n')
			for n := len(open); n > 0 && open[n-1].indent >= indent && f.parent[i] < 0; n-- {
				open = open[:n-1]
			}
		}
		if n := len(open); n > 0 {
			owners[i] = open[n-1].name
		}
		if slices.Contains(f.lang.functions, f.at(i)) && f.isWord(i+1) && f.at(i-1) != "." {
			name := f.at(i + 1)
			if f.at(i+2) == "." && f.isWord(i+3) {
				name = f.at(i + 3)
			}
			open = append(open, scope{name, indent})
		}
	}
	return owners
}

// name returns the name of a script: that of what gets the string or the result of the call, or
// else of the function around it.
func (f *finder) name(c candidate, owners []string) string {
	order := []int{c.first, c.use}
	if f.receiver(c.first) != f.receiver(c.last) { // it is made of several constants
		order = []int{c.use}
	}
	for _, i := range order {
		if name := f.receiver(i); name != "" {
			return name
		}
	}
	if owner := owners[min(c.first, len(owners)-1)]; owner != "" {
		return owner
	}
	return "script"
}

// receiver returns the name that gets the value of the expression with a token, or "".
func (f *finder) receiver(i int) string {
	for n := 0; n < 60 && i >= 0; n++ {
		name, by := f.assigned(i)
		if name != "" && name != "err" && !(f.at(by) == ":" && (name == "lua" || name == "SCRIPT")) {
			return name
		}
		up := f.parent[i]
		if up < 0 || f.at(up) == "{" && !f.isAssigned(up) && !f.isCall(up) {
			return ""
		}
		i = up
	}
	return ""
}

func (f *finder) isAssigned(i int) bool {
	name, _ := f.assigned(i)
	return name != ""
}

// isCall reports whether a brace begins an argument of a call, or a value.
func (f *finder) isCall(open int) bool {
	before := f.at(open - 1)
	return before == "(" || before == ","
}

// assigned goes back from a token to the beginning of its expression, and returns the name that is
// given the value there, with the token between them, or "".
func (f *finder) assigned(i int) (name string, by int) {
	for n := 0; n < 40 && i > 0; n++ {
		k := i - 1
		before := f.at(k)
		switch {
		case f.endsLine(i):
			return "", 0
		case f.assigns(k) || before == "||" && f.at(k-1) == "=":
			return strings.TrimLeft(f.nameBefore(k), "$@"), k
		case before == ")" || before == "]":
			if f.match[k] < 0 {
				return "", 0
			}
			k = f.match[k]
		case before == ";" || before == "," || before == "(" || before == "{" || before == "}" || before == "[" || before == "return":
			return "", 0
		}
		i = k
	}
	return "", 0
}
