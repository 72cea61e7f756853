package embedded

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// Find finds the scripts in the text of a file, in the order in which they begin. The end of the
// path names the language. A file of another language has none.
//
// An error says that the file is longer than MaxFile, has more than MaxScripts scripts, or has
// strings that are nested too deep or made of one another too often; it begins with the path.
func Find(path, text string, rules []Rule) ([]Script, error) {
	lang := languageOf(path)
	switch {
	case lang == nil:
		return nil, nil
	case len(text) > MaxFile:
		return nil, fmt.Errorf("%s: longer than %d bytes", path, MaxFile)
	}
	p, err := scan(lang, text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f := finder{evaluator: newEvaluator(p), used: map[int]bool{}}
	for _, r := range rules {
		if r.isFor(lang.name) {
			f.rules = append(f.rules, r)
		}
	}
	f.notedStrings()
	f.usedStrings()
	f.otherStrings()
	if f.work > maxWork {
		return nil, fmt.Errorf("%s: %w", path, errWork)
	}
	if len(f.found) > MaxScripts {
		return nil, fmt.Errorf("%s: more than %d scripts", path, MaxScripts)
	}
	return f.scripts(path, rules), nil
}

// candidate is an expression that is a script.
type candidate struct {
	value
	use  int // the token of its use: a call, a tag, a comment
	rule Rule
	name string // that the use gives it; "": see finder.name
}

type finder struct {
	*evaluator
	rules []Rule
	found []candidate
	used  map[int]bool // where literals of scripts begin
}

// add adds an expression if it is a string that is not part of a script yet.
func (f *finder) add(a, b, use int, r Rule, name string) bool {
	if len(f.found) > MaxScripts {
		return false
	}
	v, ok := f.evaluate(a, b, 0, noFormat)
	if !ok {
		return false
	}
	return f.addValue(v, use, r, name)
}

func (f *finder) addValue(v value, use int, r Rule, name string) bool {
	fresh := false
	for _, p := range v.pieces {
		fresh = fresh || p.lit != nil && !f.used[p.lit.from]
	}
	if !fresh || r.Looks && !looksLikeScript(v.pieces) || r.Compiles && !compiles(v.pieces) || len(f.found) > MaxScripts {
		return false
	}
	for _, p := range v.pieces {
		if p.lit != nil {
			f.used[p.lit.from] = true
		}
	}
	f.found = append(f.found, candidate{value: v, use: use, rule: r, name: name})
	return true
}

// notedStrings adds the strings behind comments, and those with tags.
func (f *finder) notedStrings() {
	for _, n := range f.notes {
		if n.to-n.from > 200 {
			continue
		}
		note := strings.TrimSpace(f.text[n.from:n.to])
		for _, r := range f.rules {
			if r.Comment == "" || len(note) < len(r.Comment) || !strings.EqualFold(note[:len(r.Comment)], r.Comment) {
				continue
			}
			name := note[len(r.Comment):]
			if name != "" && (name[0] != ' ' || r.Comment != "redmoon:lua") {
				continue
			}
			f.addNext(n.next, r, strings.TrimSpace(name))
			break
		}
	}
	for i, t := range f.tokens {
		if t.kind != str || t.lit.tag == "" {
			continue
		}
		for _, r := range f.rules {
			if r.Tag != "" && strings.EqualFold(t.lit.tag, r.Tag) && !f.used[t.from] {
				f.add(i, f.textEnd(i), i, r, "")
			}
		}
	}
}

// addNext adds the first string of the statement that begins at a token.
func (f *finder) addNext(i int, r Rule, name string) {
	for n := 0; n < 30 && i+n < len(f.tokens) && f.at(i+n) != ";"; n++ {
		if f.isString(i + n) {
			if f.at(i+n-1) == "[" && f.add(i+n-1, f.end(i+n-1), i, r, name) {
				return
			}
			f.add(i+n, f.textEnd(i+n), i, r, name)
			return
		}
	}
}

// usedStrings adds the strings that are used as rules say.
func (f *finder) usedStrings() {
	calls, fields, words := map[string][]Rule{}, map[string][]Rule{}, map[string][]Rule{}
	for _, r := range f.rules {
		if r.Call != "" {
			name := r.Call[strings.LastIndexByte(r.Call, '.')+1:]
			calls[name] = append(calls[name], r)
		}
		if r.Field != "" {
			fields[r.Field] = append(fields[r.Field], r)
		}
		if r.Word != "" {
			words[strings.ToLower(r.Word)] = append(words[strings.ToLower(r.Word)], r)
		}
	}
	for i, t := range f.tokens {
		text := f.at(i)
		if t.kind == str && t.lit.bodyTo-t.lit.bodyFrom < 40 {
			text = f.text[t.lit.bodyFrom:t.lit.bodyTo]
			for _, r := range words[strings.ToLower(text)] {
				f.behindWord(i, r)
			}
		}
		if t.kind == word {
			for _, r := range calls[text] {
				if f.call(i, r) {
					break
				}
			}
			for _, r := range words[strings.ToLower(text)] {
				if f.lang.name == "ruby" && f.at(i-1) == ":" {
					f.behindWord(i, r)
				}
			}
		}
		if sep := f.at(i + 1); t.kind == word && sep == "=" || (t.kind == word || t.kind == str) && (sep == ":" || sep == "=>") {
			list := fields[text]
			if dot := strings.LastIndexByte(text, '.'); dot > 0 {
				list = fields["*"+text[dot:]]
			}
			for _, r := range list {
				f.add(i+2, f.end(i+2), i, r, "")
			}
		}
	}
}

// behindWord adds the string that follows a word such as 'EVAL'.
func (f *finder) behindWord(i int, r Rule) {
	from := i + 2
	switch {
	case f.at(i+1) == ",":
	case f.at(i+1) == ")" && f.at(i+2) == "." && f.at(i+3) == "arg" && f.at(i+4) == "(":
		from = i + 5
	default:
		return
	}
	f.add(from, f.end(from), i, r, "")
}

// call adds the argument of a call that a rule names.
func (f *finder) call(i int, r Rule) bool {
	before := f.at(i - 1)
	isMethod := before == "." || before == "->" || before == "::" || before == "?."
	if qualifier, _, ok := strings.Cut(r.Call, "."); ok && (!isMethod || qualifier != "" && f.at(i-2) != qualifier) {
		return false
	}
	if slices.Contains(f.lang.functions, before) {
		return false
	}
	args, inner := f.callArguments(i)
	for n, arg := range args {
		if r.Argument != 0 && r.Argument != n+1 {
			continue
		}
		rule := r
		rule.Looks = r.Looks || r.Argument == 0 && n == 0 && len(args) > 1
		if f.add(arg[0], arg[1], i, rule, f.commandName(r, args)) {
			return true
		}
	}
	return inner >= 0 && strings.HasPrefix(r.ID, "define-") && f.fieldOf(inner, i, r, f.commandName(r, args))
}

// commandName returns the name of a command that is defined with a script.
func (f *finder) commandName(r Rule, args [][2]int) string {
	if r.ID != "define-command" || len(args) == 0 || !f.isString(args[0][0]) {
		return ""
	}
	lit := f.tokens[args[0][0]].lit
	return f.text[lit.bodyFrom:lit.bodyTo]
}

// fieldOf adds the value of the field lua or SCRIPT of an object.
func (f *finder) fieldOf(open, use int, r Rule, name string) bool {
	for _, field := range f.arguments(open) {
		key := f.at(field[0])
		if key != "lua" && key != "SCRIPT" {
			continue
		}
		from := field[0]
		if f.at(from+1) == ":" {
			from += 2
		}
		return f.add(from, field[1], use, r, name)
	}
	return false
}

// callArguments returns the arguments of the call of a name, and the bracket of an object that is
// the last of them, or -1.
func (f *finder) callArguments(i int) (args [][2]int, object int) {
	open := i + 1
	if f.at(open) == "!" {
		open++
	}
	if f.at(open) == "<" { // types
		for n := 0; n < 40 && open < len(f.tokens) && f.at(open) != "(" && f.at(open) != ";"; n++ {
			open++
		}
	}
	switch {
	case f.at(open) == "(" && f.match[open] > 0:
		args = f.arguments(open)
	case f.lang.name == "ruby" && open < len(f.tokens) && !f.tokens[open].breaks && f.tokens[open].kind != mark:
		for from := open; len(args) < 20; {
			end := f.end(from)
			args = append(args, [2]int{from, end})
			if f.at(end) != "," {
				break
			}
			from = end + 1
		}
	}
	object = -1
	if n := len(args); n > 0 {
		if at := args[n-1][0]; f.at(at) == "{" && f.match[at] > 0 {
			object = at
		}
	}
	return args, object
}

// otherStrings adds the strings that are scripts by their text.
func (f *finder) otherStrings() {
	var text *Rule
	for n, r := range f.rules {
		if r.Text {
			text = &f.rules[n]
		}
	}
	if text == nil {
		return
	}
	for i := 0; i < len(f.tokens); i++ {
		if !f.isString(i) || f.used[f.tokens[i].from] {
			continue
		}
		from := f.textStart(i)
		end := f.textEnd(from)
		if v, ok := f.evaluate(from, end, 0, noFormat); ok && usesRedis(v.pieces) && compiles(v.pieces) {
			f.addValue(v, i, *text, "")
		}
		i = max(i, end-1)
	}
}

// textStart returns where the expression with the string at a token begins: the string, the list
// whose elements are joined, or the call of a known function.
func (f *finder) textStart(i int) int {
	up := f.parent[i]
	for n := 0; n < 5 && up == i-1 && up > 0 && f.match[up] > 0; n++ {
		switch {
		case f.at(up) == "[" && f.at(f.match[up]+1) == ".":
			return up
		case f.at(up) == "[":
			return i
		}
		k := up - 1
		if f.at(k) == "!" {
			k--
		}
		if _, ok := functions()[f.at(k)]; !ok || !f.isWord(k) {
			return i
		}
		for f.isWord(k-2) && strings.Contains(" . :: -> ", " "+f.at(k-1)+" ") {
			k -= 2
		}
		i = k
		up = f.parent[i]
	}
	return i
}

// textEnd returns the token behind the strings that are joined from a token on.
func (f *finder) textEnd(i int) int {
	limit := f.end(i)
	for i < limit {
		_, next := f.operand(i, limit, 0, noFormat)
		for f.lang.joined && next < limit && f.at(next) == "\\" {
			next++
		}
		switch {
		case next <= i:
			return max(i, next)
		case next < limit && f.at(next) == f.lang.concat:
			i = next + 1
		case next < limit && f.lang.joined && f.isString(next):
			i = next
		case next < limit-1 && f.lang.joined && f.at(next) == "%":
			_, next = f.operand(next+1, limit, 0, noFormat)
			return next
		default:
			return next
		}
	}
	return limit
}

var (
	redisCall = regexp.MustCompile(`\b(redis|server)\s*\.\s*` +
		`(p?call|register_function|log|sha1hex|error_reply|status_reply|setresp|replicate_commands|acl_check_cmd)\b`)
	redisTable = regexp.MustCompile(`\b(KEYS|ARGV)\s*\[|#\s*(KEYS|ARGV)\b|unpack\s*\(\s*(KEYS|ARGV)\b`)
	firstWord  = regexp.MustCompile(`^\s*(return|local)\b|^#!lua\b`)
)

// usesRedis reports whether a text calls Redis, or begins like a script and reads its arguments.
func usesRedis(pieces []piece) bool {
	text := join(pieces)
	return redisCall.MatchString(text) || redisTable.MatchString(text) && firstWord.MatchString(text)
}

// looksLikeScript reports whether a text uses what only scripts have, or is a short one that
// compiles.
func looksLikeScript(pieces []piece) bool {
	text := join(pieces)
	return redisCall.MatchString(text) || redisTable.MatchString(text) || firstWord.MatchString(text) && compiles(pieces)
}

func compiles(pieces []piece) bool {
	text, _, _ := assemble(pieces)
	_, err := luatree.Parse(text)
	return err == nil
}

// join returns the text of pieces, with a name for each hole.
func join(pieces []piece) string {
	var out strings.Builder
	for _, p := range pieces {
		if p.kind == holePiece {
			out.WriteString("__hole")
		} else {
			out.WriteString(p.text)
		}
	}
	return out.String()
}
