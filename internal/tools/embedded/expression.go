package embedded

import (
	"errors"
	"strings"
)

// maxWork limits how much is read of the strings of a file, since a constant may be made of others
// that are made of others.
const maxWork = 128 << 20

const pieceWork = 64 // what a piece counts

var errWork = errors.New("its strings are made of one another too often")

const maxDepth = 50 // brackets and constants within one another

// value is what is known of an expression that is a string.
type value struct {
	pieces  []piece
	first   int  // the token of its first literal
	last    int  // and of its last one
	known   bool // a literal is part of it
	changed bool // the program changes the text in a way that is not followed
}

// evaluator finds the values of expressions. Tokens a and b are bounds: b is behind the last one.
type evaluator struct {
	*program
	match   []int // for each bracket, the other one of its pair; otherwise -1
	parent  []int // for each token, the opening bracket around it, or -1
	ends    []int
	defined map[string][]definition
	work    int // bytes of literals and pieces that were read
}

// definition is a place at which a name gets a value.
type definition struct{ from, to int }

func newEvaluator(p *program) *evaluator {
	e := &evaluator{program: p, match: make([]int, len(p.tokens)), parent: make([]int, len(p.tokens)), defined: map[string][]definition{}}
	var open []int
	for i := range p.tokens {
		e.match[i], e.parent[i] = -1, -1
		if n := len(open); n > 0 {
			e.parent[i] = open[n-1]
		}
		switch text := e.at(i); text {
		case "(", "[", "{":
			open = append(open, i)
		case ")", "]", "}":
			if n := len(open); n > 0 && strings.Contains("() [] {}", e.at(open[n-1])+text) {
				e.match[i], e.match[open[n-1]] = open[n-1], i
				e.parent[i] = e.parent[open[n-1]]
				open = open[:n-1]
			}
		}
	}
	e.findEnds()
	e.define()
	return e
}

// at returns the text of a mark or a word, and "" for other tokens and behind the last one.
func (e *evaluator) at(i int) string {
	if i < 0 || i >= len(e.tokens) || e.tokens[i].kind > mark {
		return ""
	}
	return e.text[e.tokens[i].from:e.tokens[i].to]
}

func (e *evaluator) isWord(i int) bool {
	return i >= 0 && i < len(e.tokens) && e.tokens[i].kind == word
}

func (e *evaluator) isString(i int) bool {
	return i >= 0 && i < len(e.tokens) && e.tokens[i].kind == str
}

// findEnds fills ends: for each token, the one behind the expression that begins there.
func (e *evaluator) findEnds() {
	e.ends = make([]int, len(e.tokens)+1)
	e.ends[len(e.tokens)] = len(e.tokens)
	for i := len(e.tokens) - 1; i >= 0; i-- {
		next := i + 1
		if e.match[i] > i {
			next = e.match[i] + 1
		}
		switch {
		case e.stops(i):
			e.ends[i] = i
		case next == len(e.tokens) || e.stops(next) || e.endsLine(next):
			e.ends[i] = next
		default:
			e.ends[i] = e.ends[next]
		}
	}
}

// stops reports whether no expression goes on at a token.
func (e *evaluator) stops(i int) bool {
	switch e.at(i) {
	case "(", "[", "{":
		return e.match[i] < 0
	case ";", ",", ")", "]", "}", "=", ":=":
		return true
	}
	return false
}

// end returns the token behind the expression that begins at a token.
func (e *evaluator) end(from int) int { return e.ends[min(from, len(e.tokens))] }

// endsLine reports whether the line break before a token ends a statement.
func (e *evaluator) endsLine(i int) bool {
	up := e.at(e.parent[i])
	inner := (up == "(" || up == "[") && e.lang.name != "go"
	return e.lang.lineEnds && e.tokens[i].breaks && !inner && !e.continues(i)
}

// continues reports whether the statement goes on in the line that begins with a token.
func (e *evaluator) continues(i int) bool {
	before, here := e.at(i-1), e.at(i)
	return here == "." || here == "?." || here == e.lang.concat || before == e.lang.concat || before == "\\" || before == "," ||
		before == "=" || before == "." || before == "(" || before == ":" || before == "%"
}

// evaluate returns the value of an expression, and whether it is a string of which something is
// known.
func (e *evaluator) evaluate(a, b, depth int, f format) (value, bool) {
	for a < b && e.at(a) == "(" && e.match[a] == b-1 {
		a, b = a+1, b-1
	}
	var v value
	if depth > maxDepth || a >= b {
		return v, false
	}
	for i := a; i < b; {
		part, next := e.operand(i, b, depth, f)
		if next <= i {
			return v, false
		}
		if next < b && e.at(next) == "%" && e.lang.joined && f == noFormat && part.known {
			return e.evaluate(a, next, depth+1, printfFormat)
		}
		if part.known {
			if !v.known {
				v.first = part.first
			}
			v.last = part.last
		}
		v.pieces = append(v.pieces, part.pieces...)
		v.known, v.changed = v.known || part.known, v.changed || part.changed
		if e.work += pieceWork * (len(part.pieces) + 1); e.work > maxWork {
			return v, false
		}
		isString := e.isString(next - 1)
		for next < b && e.at(next) == "\\" {
			next++
		}
		switch {
		case next == b:
		case e.at(next) == e.lang.concat:
			next++
		case e.lang.joined && e.isString(next) && isString:
		default:
			return v, false
		}
		i = next
	}
	return v, v.known
}

// operand reads one part of a concatenation. A part of which nothing is known is a hole.
func (e *evaluator) operand(i, b, depth int, f format) (value, int) {
	v, next := e.primary(i, b, depth, f)
	for next < b {
		m, after, ok := e.method(next, b)
		if !ok {
			break
		}
		switch {
		case v.known && m.format != noFormat && f == noFormat:
			v, _ = e.primary(i, b, depth, m.format)
		case v.known && m.join:
			v, _ = e.join(e.list(next+2), v.pieces, depth)
		case v.changed: // what follows is done to an unknown text
		case v.known && !m.margin.isZero():
			v.pieces = cut(splitLines(v.pieces), e.withBar(m.margin, next+2))
		case !m.neutral:
			v.changed = true
		}
		next = after
	}
	if !v.known {
		last := max(next, i+1) - 1
		v.pieces = []piece{{kind: holePiece, from: e.tokens[i].from, to: e.tokens[last].to}}
	}
	return v, next
}

// withBar gives trimMargin the mark that its argument names.
func (e *evaluator) withBar(m margin, open int) margin {
	if m.bar != "" && e.isString(open+1) {
		lit := e.tokens[open+1].lit
		m.bar = e.text[lit.bodyFrom:lit.bodyTo]
	}
	return m
}

// primary reads a string, a name, a call or something in brackets, without the methods that are
// called on it.
func (e *evaluator) primary(i, b, depth int, f format) (value, int) {
	switch {
	case e.isString(i):
		e.work += e.tokens[i].lit.bodyTo - e.tokens[i].lit.bodyFrom
		return value{pieces: e.decode(e.tokens[i].lit, f), first: i, last: i, known: true}, i + 1
	case e.at(i) == "(" && e.match[i] > 0 && e.match[i] < b:
		v, ok := e.evaluate(i+1, e.match[i], depth+1, f)
		v.known = ok
		return v, e.match[i] + 1
	case e.at(i) == "[" && e.match[i] > 0 && e.match[i] < b:
		return e.array(i, depth)
	case e.isWord(i):
		return e.named(i, b, depth, f)
	case e.at(i) == "&" || e.at(i) == "*": // a reference
		if i+1 < b {
			return e.primary(i+1, b, depth+1, f)
		}
	case i < b && e.tokens[i].kind == other:
		return value{}, i + 1
	}
	return value{}, i
}

// array reads a list whose elements are joined.
func (e *evaluator) array(i, depth int) (value, int) {
	closed := e.match[i]
	if e.at(closed+1) != "." || e.at(closed+2) != "join" || e.at(closed+3) != "(" || e.match[closed+3] < 0 {
		return value{}, closed + 1
	}
	separator, after := []piece{{kind: fixedPiece, text: ","}}, e.match[closed+3]
	if e.lang.name == "ruby" {
		separator = nil
	}
	if after > closed+4 {
		v, ok := e.evaluate(closed+4, after, depth+1, noFormat)
		if !ok {
			return value{}, after + 1
		}
		separator = v.pieces
	}
	v, ok := e.join(e.arguments(i), separator, depth)
	v.known = ok
	return v, after + 1
}

// list returns the elements of a list that is the only argument of a call.
func (e *evaluator) list(open int) [][2]int {
	args := e.arguments(open)
	if len(args) == 1 && (e.at(args[0][0]) == "[" || e.at(args[0][0]) == "(") && e.match[args[0][0]] == args[0][1]-1 {
		return e.arguments(args[0][0])
	}
	return nil
}

// join joins the elements of a list.
func (e *evaluator) join(elements [][2]int, separator []piece, depth int) (value, bool) {
	var text strings.Builder
	for _, p := range separator {
		text.WriteString(p.text)
	}
	var all value
	for n, r := range elements {
		v, ok := e.evaluate(r[0], r[1], depth+1, noFormat)
		if !ok {
			return value{}, false
		}
		all.last = v.last
		if n == 0 {
			all.first = v.first
		} else if text.Len() > 0 {
			all.pieces = append(all.pieces, piece{kind: fixedPiece, text: text.String()})
		}
		all.pieces = append(all.pieces, v.pieces...)
	}
	all.known = len(elements) > 0
	return all, all.known
}

// named reads a constant, or a call of a function that returns a string.
func (e *evaluator) named(i, b, depth int, f format) (value, int) {
	name, next := e.chain(i, b)
	if next < b && e.isString(next) && e.tokens[next].lit.quote.close == "`" && e.tokens[next].from == e.tokens[next-1].to {
		return value{pieces: e.decode(e.tokens[next].lit, f), first: next, last: next, known: true}, next + 1
	}
	open := next
	if e.at(open) == "!" {
		open++
	}
	if open < b && (e.at(open) == "(" || open > next && e.at(open) == "{") && e.match[open] > 0 && e.match[open] < b {
		return e.call(name, open, depth, f), e.match[open] + 1
	}
	if v, ok := e.constant(name, i, depth, f); ok {
		return v, next
	}
	return value{}, next
}

// chain reads a.b.c and returns the last name.
func (e *evaluator) chain(i, b int) (name string, next int) {
	next = i + 1
	for next+1 < b && e.isWord(next+1) && strings.Contains(" . -> :: ?. ", " "+e.at(next)+" ") {
		if m, ok := methods()[e.at(next+1)]; ok && e.at(next+2) == "(" && (m.neutral || !m.margin.isZero()) && len(e.defined[e.at(next-1)]) > 0 {
			break
		}
		next += 2
	}
	return e.at(next - 1), next
}

// call returns the value of a call of a function that returns its argument, or much of it, as far
// as is known.
func (e *evaluator) call(name string, open, depth int, f format) value {
	fn, ok := functions()[name]
	args := e.arguments(open)
	if !ok || len(args) == 0 {
		return value{}
	}
	if fn.format != noFormat {
		f = fn.format
		if e.lang.name == "rust" || e.lang.name == "csharp" {
			f = braceFormat
		}
	}
	if fn.join {
		return e.callJoin(args, depth)
	}
	if fn.concat {
		v, _ := e.join(args, nil, depth)
		return v
	}
	v, ok := e.evaluate(args[0][0], args[0][1], depth+1, f)
	v.known, v.changed = ok, v.changed || fn.changed
	if ok && !fn.margin.isZero() {
		v.pieces = cut(splitLines(v.pieces), fn.margin)
	}
	return v
}

// callJoin reads strings.Join([]string{…}, separator) and String.join(separator, …).
func (e *evaluator) callJoin(args [][2]int, depth int) value {
	if len(args) < 2 {
		return value{}
	}
	elements, separator := args[1:], args[0]
	if e.lang.name == "go" {
		open := args[0][1] - 1
		if e.at(open) != "}" || e.match[open] < 0 {
			return value{}
		}
		elements, separator = e.arguments(e.match[open]), args[1]
	}
	sep, ok := e.evaluate(separator[0], separator[1], depth+1, noFormat)
	if !ok {
		return value{}
	}
	v, _ := e.join(elements, sep.pieces, depth)
	return v
}

// constant returns the value of a name: the one that it got last before token i, or else the first.
func (e *evaluator) constant(name string, i, depth int, f format) (value, bool) {
	list := e.defined[name]
	if len(list) == 0 || e.work > maxWork {
		return value{}, false
	}
	d := list[0]
	lo, hi := 0, len(list)
	for lo < hi {
		if mid := (lo + hi) / 2; list[mid].from <= i {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo > 0 {
		d = list[lo-1]
	}
	if d.from <= i && i < d.to {
		return value{}, false
	}
	e.work += pieceWork
	return e.evaluate(d.from, d.to, depth+1, f)
}

// arguments returns the ranges of what stands between the commas of a pair of brackets.
func (e *evaluator) arguments(open int) (list [][2]int) {
	closed := e.match[open]
	from := open + 1
	for i := from; i <= closed; i++ {
		switch text := e.at(i); {
		case i == closed || text == ",":
			if i > from {
				list = append(list, [2]int{from, i})
			}
			from = i + 1
		case (text == "(" || text == "[" || text == "{") && e.match[i] > 0:
			i = e.match[i]
		}
	}
	return list
}

// splitLines cuts pieces so that each holds at most one line.
func splitLines(pieces []piece) []piece {
	var out []piece
	for _, p := range pieces {
		for p.kind == plainPiece {
			n := strings.IndexByte(p.text, '\n') + 1
			if n == 0 || n == len(p.text) {
				break
			}
			head := p
			head.text, head.to = p.text[:n], p.from+n
			out = append(out, head)
			p.text, p.from = p.text[n:], p.from+n
		}
		out = append(out, p)
	}
	return out
}
