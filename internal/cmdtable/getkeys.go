package cmdtable

import (
	"math"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/parse"
)

// Key is one key in a command line.
type Key struct {
	Pos   int // its place among the arguments
	Flags KeyFlag
}

// FindKeys finds the keys in a command line of this row by its key-specs. It returns nil when there are
// none, or when the arguments do not fit (a number of keys that is wrong, a range with nothing in it). Caller must have checked arity.
func (s *Spec) FindKeys(args []string) []Key {
	if s.Locate != nil {
		return s.Locate(args)
	}
	var keys []Key
	for i := range s.Keys {
		k := &s.Keys[i]
		begin, ok := k.begin(args)
		if !ok {
			continue
		}
		first, last := begin, k.LastArg(begin, len(args))
		if k.KeyNum {
			if !IsInteger(args, begin+k.NumIdx) {
				return s.looseKeys(k, args)
			}
			n := LeadingInt(args, begin+k.NumIdx)
			first = begin + k.First
			last = first + (n-1)*k.Step
			if n < 1 {
				return nil
			}
		}
		if k.Step > 0 && (last < first || last >= len(args)) {
			return nil
		}
		for pos := first; pos <= last && k.Step > 0; pos += k.Step {
			keys = append(keys, Key{pos, s.keyFlags(k, args)})
		}
	}
	return keys
}

// looseKeys finds the keys by a number of keys that is none, but begins like one: Redis reads it as C's atoi does then, and
// knows no flags. The key that takes the result comes last.
func (s *Spec) looseKeys(k *KeySpec, args []string) []Key {
	n, first := LeadingInt(args, k.Index+k.NumIdx), k.Index+k.First
	if n < 1 || n > len(args)-first {
		return nil
	}
	keys := make([]Key, 0, n+1)
	for i := range n {
		keys = append(keys, Key{Pos: first + i})
	}
	for i := range s.Keys {
		if other := &s.Keys[i]; other.isRange() {
			keys = append(keys, Key{Pos: other.Index})
		}
	}
	return keys
}

// IsInteger reports whether the argument is there and a number in the form that Redis writes.
func IsInteger(args []string, i int) bool {
	if i >= len(args) {
		return false
	}
	_, ok := parse.Int(args[i])
	return ok
}

// begin is the argument at which the key-spec begins.
func (k *KeySpec) begin(args []string) (int, bool) {
	if k.Keyword == "" {
		return k.Index, k.Index > 0
	}
	step, from := 1, k.From
	if from < 0 {
		step, from = -1, len(args)+from
	}
	for i := from; i > 0 && i < len(args); i += step {
		if strings.EqualFold(args[i], k.Keyword) {
			return i + 1, i+1 < len(args)
		}
	}
	return 0, false
}

// LastArg is the last argument of a range that begins at begin, of n arguments.
func (k *KeySpec) LastArg(begin, n int) int {
	switch {
	case k.Last >= 0:
		return begin + k.Last
	case k.Limit <= 1:
		return n + k.Last
	}
	return begin + (n-begin)/k.Limit + k.Last
}

// keyFlags resolves flags that depend on the arguments: SET reads the key only with GET, BITFIELD writes it
// only with SET or INCRBY (or with what it does not understand).
func (s *Spec) keyFlags(k *KeySpec, args []string) KeyFlag {
	if k.Flags&VariableFlags == 0 {
		return k.Flags
	}
	switch s.Name {
	case "set":
		for _, a := range args[min(3, len(args)):] {
			if strings.EqualFold(a, "get") {
				return RW | Access | Update
			}
		}
		return OW | Update
	case "bitfield":
		for ops := args[2:]; len(ops) > 0; {
			switch {
			case len(ops) > 2 && strings.EqualFold(ops[0], "get"):
				ops = ops[3:]
			case len(ops) > 1 && strings.EqualFold(ops[0], "overflow"):
				ops = ops[2:]
			default:
				return RW | Access | Update
			}
		}
		return RO | Access
	}
	return k.Flags
}

// LeadingInt reads a number as C's atoi does: white space before it and what follows the digits do not matter.
func LeadingInt(args []string, i int) int {
	if i >= len(args) {
		return 0
	}
	s, sign := strings.TrimLeft(args[i], " \t\n\v\f\r"), 1
	if s != "" && (s[0] == '-' || s[0] == '+') {
		if s[0] == '-' {
			sign = -1
		}
		s = s[1:]
	}
	n := 0
	for j := 0; j < len(s) && s[j] >= '0' && s[j] <= '9' && n < min(1<<40, math.MaxInt/20); j++ {
		n = n*10 + int(s[j]-'0')
	}
	return sign * n
}
