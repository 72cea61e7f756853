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
	// Line is counted from 1. SetBreakpoints moves the breakpoint to the next line that has code.
	Line int
	// Condition is a Lua expression, which is evaluated in the frame that reaches the line. The
	// script stops if its value is true or if it fails. Default: always stop.
	Condition string
	// Hits says at which hits to stop. A hit is each time the line is reached and the condition is
	// true, counted from 1. The forms are "5" and "==5", ">5", ">=5", "<5", "<=5", and "%5" for
	// each fifth hit. Default: at each hit.
	Hits string
	// Log makes the breakpoint a logpoint: instead of stopping, the script sends this message as an
	// [Output]. {expression} stands for the value of a Lua expression, \{ for a brace.
	Log string

	// Problem is why the breakpoint has no effect, for example because no line at or after Line has
	// code. SetBreakpoints sets it. It is empty if there is no problem.
	Problem string
}

// breakpoint is a compiled Breakpoint.
type breakpoint struct {
	Breakpoint
	when hitRule
	log  []logPiece
	hits *int // number of hits in this run; only the engine's goroutine uses it
}

// newBreakpoint compiles b and moves it to a line that has code. broken is why the script does not
// compile, or nil.
func newBreakpoint(b Breakpoint, lines []int, broken error) *breakpoint {
	b.Problem = ""
	ready := &breakpoint{hits: new(int)}
	at, _ := slices.BinarySearch(lines, b.Line)
	var ok bool
	switch {
	case broken != nil:
		b.Problem = syntaxProblem(broken)
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

// syntaxProblem returns the message of a syntax error, without the prefix that all of them have.
func syntaxProblem(err error) string {
	text := err.Error()
	for _, prefix := range []string{"ERR ", "Error compiling script (new function): ", "user_script:"} {
		text = strings.TrimPrefix(text, prefix)
	}
	return text
}

// checkExpression returns what is wrong with the syntax of an expression, or "".
func checkExpression(code string) string {
	if code == "" {
		return ""
	}
	_, err := engine.ScriptLines("return " + code)
	if err == nil {
		return ""
	}
	return strings.TrimPrefix(syntaxProblem(err), "1: ")
}

// hitRule is a compiled Breakpoint.Hits.
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

// matches reports whether to stop at a hit, counted from 1.
func (r hitRule) matches(hit int) bool {
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

// logPiece is a piece of a logpoint's message: text, followed by the values of code if that is not
// empty.
type logPiece struct{ text, code string }

// parseLog splits a logpoint's message at its {expressions}. An expression may contain braces and
// quoted strings.
func parseLog(s string) (pieces []logPiece, problem string) {
	var text strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && strings.IndexByte(`{}\`, s[i+1]) >= 0:
			i++
			text.WriteByte(s[i])
		case s[i] == '{':
			end := closingBrace(s, i)
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

// closingBrace returns the index of the brace that closes the one at i, or -1.
func closingBrace(s string, i int) int {
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
