package debugger

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
)

// Breakpoint stops a script before it runs a line.
type Breakpoint struct {
	Line      int
	Condition string // a Lua expression, evaluated in the frame; "" always. Where it fails the script stops too
	Hits      string // when to stop, by how often the line was reached with the condition true: "5", "==5", ">5", ">=5", "<5", "<=5", "%5"; "" always
	Log       string // in place of stopping, say this; {expression} in it gives values, \{ is a brace

	Problem string // why it can't be had: no code on that line or behind it, a condition that does not parse; "" else
}

// breakpoint is a Breakpoint made ready.
type breakpoint struct {
	Breakpoint
	when hitRule
	log  []logPiece
	hits *int // how often it was reached in this run; the engine's goroutine alone uses it
}

// newBreakpoint puts b on a line that has code, and finds what is wrong with it.
func newBreakpoint(b Breakpoint, lines []int, broken error) *breakpoint {
	b.Problem = ""
	ready := &breakpoint{hits: new(int)}
	at, _ := slices.BinarySearch(lines, b.Line)
	var ok bool
	switch {
	case broken != nil:
		b.Problem = problemOf(broken)
	case b.Line < 1 || at == len(lines):
		b.Problem = "no code on this line or behind it"
	default:
		b.Line = lines[at]
		if ready.when, ok = parseHits(b.Hits); !ok {
			b.Problem = "not a number of hits: " + b.Hits
		} else if problem := checkExpression(b.Condition); problem != "" {
			b.Problem = "condition: " + problem
		} else if ready.log, problem = parseLog(b.Log); problem != "" {
			b.Problem = "log message: " + problem
		}
	}
	ready.Breakpoint = b
	return ready
}

// problemOf is the text of a script's error of syntax without what is the same in all.
func problemOf(err error) string {
	text := err.Error()
	for _, prefix := range []string{"ERR ", "Error compiling script (new function): ", "user_script:"} {
		text = strings.TrimPrefix(text, prefix)
	}
	return text
}

// checkExpression says what is wrong with the syntax of an expression, or "".
func checkExpression(code string) string {
	if code == "" {
		return ""
	}
	_, err := engine.ScriptLines("return " + code)
	if err == nil {
		return ""
	}
	return strings.TrimPrefix(problemOf(err), "1: ")
}

// hitRule says at which hits to stop.
type hitRule struct {
	op string // "": always
	n  int
}

func parseHits(s string) (hitRule, bool) {
	s = strings.TrimSpace(s)
	if s == "" {
		return hitRule{}, true
	}
	op := "=="
	for _, o := range []string{"==", ">=", "<=", ">", "<", "%", "="} {
		if rest, ok := strings.CutPrefix(s, o); ok {
			op, s = o, rest
			break
		}
	}
	n, err := strconv.Atoi(strings.TrimSpace(s))
	return hitRule{op, n}, err == nil && n >= 0 && (op != "%" || n > 0)
}

// holds reports whether to stop at a hit, from 1.
func (r hitRule) holds(hit int) bool {
	switch r.op {
	case "==", "=":
		return hit == r.n
	case ">=":
		return hit >= r.n
	case "<=":
		return hit <= r.n
	case ">":
		return hit > r.n
	case "<":
		return hit < r.n
	case "%":
		return hit%r.n == 0
	}
	return true
}

// logPiece is text, or an expression whose values stand there.
type logPiece struct{ text, code string }

// parseLog cuts a log message at its {expressions}, which may hold braces and quoted texts themselves.
func parseLog(s string) (pieces []logPiece, problem string) {
	var text strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && strings.IndexByte(`{}\`, s[i+1]) >= 0:
			i++
			text.WriteByte(s[i])
		case s[i] == '{':
			end := closing(s, i)
			if end < 0 {
				return nil, "a { that is not closed"
			}
			code := s[i+1 : end]
			if problem = checkExpression(strings.TrimSpace(code)); problem != "" || strings.TrimSpace(code) == "" {
				return nil, "{" + code + "}: " + cmp.Or(problem, "no expression")
			}
			pieces = append(pieces, logPiece{text.String(), code})
			text.Reset()
			i = end
		default:
			text.WriteByte(s[i])
		}
	}
	if text.Len() > 0 {
		pieces = append(pieces, logPiece{text: text.String()})
	}
	return pieces, ""
}

// closing is where the brace at i is closed, or -1.
func closing(s string, i int) int {
	depth := 0
	for quote := byte(0); i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
