package cmdtable

import (
	"math"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/decimal"
)

// Key is one key in a command line.
type Key struct {
	Pos   int // index of the argument; the name of the command is argument 0
	Flags KeyFlag
}

// FindKeys finds the keys in a command line of this row by its key-specs. It returns nil when there
// are none, or when the arguments do not fit (a wrong number of keys, an empty range). Caller must
// have checked arity.
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

// looseKeys finds the keys when the number of keys is not an integer but begins like one. Redis
// then reads it as C's atoi does, and gives the keys no flags. The key that takes the result comes
// last.
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

// IsInteger reports whether argument i exists and is an integer in the form that Redis writes.
func IsInteger(args []string, i int) bool {
	if i >= len(args) {
		return false
	}
	_, ok := decimal.Parse(args[i])
	return ok
}

// begin returns the place of the argument at which the key-spec begins; ok is false when there is
// none.
func (k *KeySpec) begin(args []string) (pos int, ok bool) {
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

// LastArg returns the place of the last argument of a range that begins at begin, in a command line
// of n arguments.
func (k *KeySpec) LastArg(begin, n int) int {
	switch {
	case k.Last >= 0:
		return begin + k.Last
	case k.Limit <= 1:
		return n + k.Last
	}
	return begin + (n-begin)/k.Limit + k.Last
}

// keyFlags returns the flags of the keys that a key-spec finds.
func (s *Spec) keyFlags(k *KeySpec, args []string) KeyFlag {
	if k.Flags&VariableFlags == 0 || s.FlagsOfKeys == nil {
		return k.Flags
	}
	return s.FlagsOfKeys(args)
}

// LeadingInt reads argument i as C's atoi does: white space before the number and text behind it
// are ignored. It is 0 when there is no such argument or number.
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

// LegacyRange returns what COMMAND INFO gives as first key, last key and step: the range that the
// key-specs form together, as far as they form one.
func (s *Spec) LegacyRange() (first, last, step int) {
	if len(s.Keys) == 1 && s.Keys[0].isRange() {
		k := s.Keys[0]
		return k.Index, k.lastIndex(), k.Step
	}
	for _, k := range s.Keys {
		if !k.isRange() {
			continue
		}
		if k.Step != 1 || last != 0 && last != k.Index-1 {
			break
		}
		if first == 0 {
			first = k.Index
		}
		last, step = k.lastIndex(), 1
	}
	return first, last, step
}

// isRange reports whether the keys are a range that begins at a fixed place.
func (k *KeySpec) isRange() bool { return k.Keyword == "" && !k.KeyNum && k.Step != 0 }

func (k *KeySpec) lastIndex() int {
	if k.Last < 0 {
		return k.Last
	}
	return k.Index + k.Last
}
