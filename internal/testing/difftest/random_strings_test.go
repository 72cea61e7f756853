package difftest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/stretchr/testify/require"
)

const callsPerScript = 100

// stringCallsScript makes one script of many calls: it returns a line for each, with all that the
// call returned.
const stringCallsScript = `local out = {}
local function c(...)
  local t = {}
  for i = 1, select('#', ...) do
    local v = select(i, ...)
    t[i] = type(v) .. ':' .. tostring(v)
  end
  out[#out + 1] = table.concat(t, '|')
end
local function words(s, p)
  local r = {}
  for a, b in string.gmatch(s, p) do r[#r + 1] = tostring(a) .. '/' .. tostring(b) end
  return #r, table.concat(r, ',')
end
local function back(...) return (...) end
local zero = tonumber('-0')
local t = {a = 'A', b = 1.5, ab = false, [1] = 'one', [2] = 2}
%s
return out`

// TestRandomStringCalls plays random calls of the string library, many in one script. The seeds are
// fixed; REDMOON_SEED=n plays another one, REDMOON_STEPS=n sets how many calls a run has. A
// difference is cut down to one call.
func TestRandomStringCalls(t *testing.T) {
	needsOracle(t)
	seed, calls := tier.Seed(), tier.Number("REDMOON_STEPS", 1500, 5000)
	for name, call := range map[string]func(*callMaker) string{
		"patterns": (*callMaker).patternCall, "format": (*callMaker).formatCall, "bytes": (*callMaker).byteCall,
	} {
		t.Run(name, func(t *testing.T) {
			m := &callMaker{rand.New(rand.NewPCG(seed, 0))}
			for done := 0; done < calls; done += 10 * callsPerScript { // a bounded part at a time
				var all [][]string
				f := &File{Path: "random", Doors: []Door{DoorGo}}
				for i := range 10 {
					var lines []string
					for range callsPerScript {
						lines = append(lines, "c("+call(m)+")")
					}
					all = append(all, lines)
					f.Steps = append(f.Steps, scriptStep(i, lines...))
				}
				rec, err := theRunner.Record(f)
				require.NoError(t, err)
				res, err := theRunner.Check(f, DoorGo, rec)
				require.NoError(t, err)
				for _, fault := range res.Faults {
					single := &File{Path: "random", Doors: f.Doors}
					for i, line := range all[fault.Line] {
						single.Steps = append(single.Steps, scriptStep(i, line))
					}
					playRandom(t, single)
				}
				if len(res.Faults) > 0 {
					t.Fatalf("seed %d: %d scripts differ", seed, len(res.Faults))
				}
			}
		})
	}
}

func scriptStep(line int, calls ...string) Step {
	return Step{Line: line, Args: []string{"EVAL", fmt.Sprintf(stringCallsScript, strings.Join(calls, "\n")), "0"}}
}

// callMaker makes up calls of string functions, as Lua source.
type callMaker struct {
	rng *rand.Rand
}

func (m *callMaker) one(in int) bool { return m.rng.IntN(in) == 0 }

// literal is s as a Lua string.
func literal(s string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for _, c := range []byte(s) {
		if c < ' ' || c > '~' || c == '\'' || c == '\\' {
			fmt.Fprintf(&b, "\\%03d", c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// pieces is up to n of the pieces, one behind the other.
func (m *callMaker) pieces(n int, from []string) string {
	var b strings.Builder
	for range m.rng.IntN(n + 1) {
		b.WriteString(pick(m.rng, from))
	}
	return b.String()
}

var subjectPieces = []string{"a", "a", "b", "ab", "aa", "A", "1", " ", "(", ")", "x", "-", "%", "]", "^", ".", "\x00", "\xe9", "\n", "_",
	"z"}

func (m *callMaker) subject() string { return m.pieces(10, subjectPieces) }

var setPieces = []string{"a", "b", "a-c", "%a", "%d", "%w", "%s", "%z", "%p", "%]", "]", "-", "^", "[", "x-", "-z", "%", ".", "\xe0-\xff",
	"A-Z", "%x", "1"}

func (m *callMaker) item() string {
	switch m.rng.IntN(12) {
	case 0:
		return "."
	case 1, 2:
		return "%" + string("acdlpsuwxzACDLPSUWXZg.%()-"[m.rng.IntN(26)])
	case 3, 4:
		return "[" + pick(m.rng, []string{"", "^"}) + m.pieces(3, setPieces) + pick(m.rng, []string{"a]", "]", "]", "]"})
	case 5:
		return pick(m.rng, []string{"%b()", "%bab", "%f[%w]", "%f[%W]", "%f[a]", "%f[%z]", "%baa"})
	}
	return pick(m.rng, subjectPieces)
}

// pattern is mostly a sound one.
func (m *callMaker) pattern() string {
	var b strings.Builder
	if m.one(6) {
		b.WriteByte('^')
	}
	open, closed := 0, 0
	for range m.rng.IntN(5) {
		switch m.rng.IntN(10) {
		case 0, 1:
			b.WriteByte('(')
			open++
		case 2:
			b.WriteString("()")
			closed++
		case 3:
			if closed > 0 {
				fmt.Fprintf(&b, "%%%d", 1+m.rng.IntN(closed))
			}
		}
		b.WriteString(m.item())
		b.WriteString(pick(m.rng, []string{"", "", "", "*", "+", "-", "?"}))
		if open > 0 && m.one(2) {
			b.WriteByte(')')
			open--
			closed++
		}
	}
	b.WriteString(strings.Repeat(")", open))
	if m.one(6) {
		b.WriteByte('$')
	}
	if m.one(8) { // spoil it
		b.WriteString(pick(m.rng, []string{"%", "[", "(", ")", "%1", "%b", "%f", "[^", "[a-", "\x00", "%9", "%0", "*", "[%", "%f[", "%bx"}))
	}
	return b.String()
}

func (m *callMaker) index() string {
	return pick(m.rng, []string{"nil", "1", "2", "3", "-1", "-2", "-4", "0", "5", "20", "-20", "'2'", "2.7", "1e10", "-1e10", "1/0", "0/0"})
}

var replacementPieces = []string{"x", "%0", "%1", "%2", "%%", "-", "", "%a", "\x00", "%9"}

func (m *callMaker) patternCall() string {
	s, p := literal(m.subject()), literal(m.pattern())
	switch m.rng.IntN(8) {
	case 0, 1:
		args := s + "," + p
		if m.one(3) {
			args += "," + m.index()
			if m.one(3) {
				args += ",true"
			}
		}
		return "pcall(string.find," + args + ")"
	case 2, 3:
		args := s + "," + p
		if m.one(4) {
			args += "," + m.index()
		}
		return "pcall(string.match," + args + ")"
	case 4:
		return "pcall(words," + s + "," + p + ")"
	}
	repl := literal(m.pieces(3, replacementPieces))
	switch m.rng.IntN(6) {
	case 0:
		repl = "t"
	case 1:
		repl = "back"
	case 2:
		repl = pick(m.rng, []string{"string.upper", "7", "{}", "function() end", "function(...) return select('#',...) end"})
	}
	args := s + "," + p + "," + repl
	if m.one(6) {
		args += "," + m.index()
	}
	return "pcall(string.gsub," + args + ")"
}

// number is a number, or a string that is one. The negative zero is never written as a constant:
// Lua keeps one constant for both zeros of a function.
func (m *callMaker) number() string {
	s := m.anyNumber()
	if strings.HasPrefix(s, "-0") && strings.Trim(s, "-0.e+") == "" {
		return "zero"
	}
	return s
}

func (m *callMaker) anyNumber() string {
	switch m.rng.IntN(6) {
	case 0:
		return pick(m.rng, []string{"0", "zero", "1", "-1", "255", "65", "0.5", "1.5", "2.5", "-2.5", "1/0", "-1/0", "0/0", "-(0/0)", "1e15",
			"2^53", "2^63", "-2^63", "2^64", "2^31", "-2^31", "1e300", "5e-324", "1.7976931348623157e308", "0.1", "1/3", "1e-5", "123456.5",
			"999999.5", "9.995", "0.0001", "100000", "1e6", "'12'", "'0x1f'", "'-1e2'"})
	case 1:
		return strconv.Itoa(m.rng.IntN(2000) - 1000)
	case 2:
		return strconv.FormatFloat(m.rng.NormFloat64(), 'g', -1, 64)
	case 3:
		return strconv.FormatFloat(float64(int64(m.rng.Uint64())), 'g', -1, 64)
	case 4:
		return strconv.FormatFloat(m.rng.NormFloat64(), 'f', m.rng.IntN(4), 64)
	}
	return strconv.FormatFloat(m.rng.NormFloat64()*float64(m.rng.Uint64()), 'e', m.rng.IntN(17), 64)
}

func (m *callMaker) formatCall() string {
	var format strings.Builder
	var args []string
	for range 1 + m.rng.IntN(3) {
		format.WriteString(pick(m.rng, []string{"", "", " ", "a", "%%", "\x00", "|"}))
		verb := "cdiouxXeEfgGqsdfgsx"[m.rng.IntN(19)]
		format.WriteByte('%')
		format.WriteString(m.pieces(2, []string{"", "-", "+", " ", "#", "0"}))
		if m.one(2) {
			format.WriteString(strconv.Itoa(m.rng.IntN(30)))
		}
		if m.one(2) {
			format.WriteByte('.')
			if !m.one(5) {
				format.WriteString(strconv.Itoa(m.rng.IntN(25)))
			}
		}
		if m.one(60) {
			format.WriteString(pick(m.rng, []string{"100", "-----+", ".", "h", "\x00"}))
		}
		if m.one(80) {
			verb = byte(m.rng.IntN(256))
		}
		format.WriteByte(verb)
		arg := m.number()
		if verb == 's' || verb == 'q' || m.one(40) {
			if arg = literal(m.subject()); m.one(10) {
				arg = "(" + arg + "):rep(" + strconv.Itoa(m.rng.IntN(60)) + ")"
			}
		}
		if m.one(80) {
			arg = pick(m.rng, []string{"nil", "true"})
		}
		args = append(args, arg)
	}
	if m.one(40) {
		args = args[1:]
	}
	return "pcall(string.format," + strings.Join(append([]string{literal(format.String())}, args...), ",") + ")"
}

func (m *callMaker) byteCall() string {
	s := literal(m.subject())
	switch m.rng.IntN(8) {
	case 0, 1, 2:
		return "pcall(string.sub," + s + "," + m.index() + "," + m.index() + ")"
	case 3, 4:
		return "pcall(string.byte," + s + "," + m.index() + "," + m.index() + ")"
	case 5:
		return "pcall(string.rep," + s + "," + pick(m.rng, []string{"0", "1", "3", "-1", "2.9", "'2'", "2^32+2", "1/0", "nil"}) + ")"
	case 6:
		return "pcall(string.char," + m.number() + "," + strconv.Itoa(m.rng.IntN(260)) + ")"
	}
	return "pcall(string." + pick(m.rng, []string{"upper", "lower", "reverse", "len"}) + "," + s + ")"
}
