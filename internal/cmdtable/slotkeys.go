package cmdtable

import (
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/parse"
)

// SlotKeys are the keys of a command line whose slots count. They are those of FindKeys, but where Redis has another way to find them for this
// than for rights. Caller must have checked arity.
func (s *Spec) SlotKeys(args []string) []Key {
	if len(s.Keys) == 0 && s.Locate == nil {
		return nil
	}
	if s.Name == "xread" || s.Name == "xreadgroup" {
		return streamKeys(args)
	}
	keys := s.FindKeys(args)
	if keys == nil && s.Flags&MovableKeys == 0 && s.Locate == nil {
		return s.keysOfRanges(args)
	}
	if s.Name == "georadius" || s.Name == "georadiusbymember" {
		return lastStored(args, keys)
	}
	return slices.DeleteFunc(keys, func(k Key) bool { return k.Pos >= len(args) })
}

// keysOfRanges are the keys of those key-specs that have any: PFMERGE may name none to merge.
func (s *Spec) keysOfRanges(args []string) (keys []Key) {
	for i := range s.Keys {
		k := &s.Keys[i]
		for pos := k.Index; k.Step > 0 && pos <= min(k.LastArg(k.Index, len(args)), len(args)-1); pos += k.Step {
			keys = append(keys, Key{Pos: pos})
		}
	}
	return keys
}

// findPlain tells of a row whether slotOf finds its keys without making a list of them: all are in ranges that begin at a fixed place, or
// their number is an argument; and whether the first argument is the only key.
func (s *Spec) findPlain() {
	special := s.Name == "xread" || s.Name == "xreadgroup" || s.Locate != nil || len(s.Keys) == 0
	s.InRanges = !special && s.Flags&MovableKeys == 0
	s.OneKey = s.InRanges && len(s.Keys) == 1 && s.Keys[0].Index == 1 && s.Keys[0].Last == 0 && s.MinArgs >= 2
	s.Counted = !special && len(s.Keys) == 1 && s.Keys[0].KeyNum && s.Keys[0].Keyword == "" && s.Keys[0].Index > 0
}

// span is the first and the last key of a key-spec with a number of keys, which must be an integer. It is empty when the number does not fit.
func (k *KeySpec) Span(args []string) (first, last int) {
	n := LeadingInt(args, k.Index+k.NumIdx)
	first = k.Index + k.First
	if last = first + (n-1)*k.Step; last >= len(args) {
		return first, first - 1
	}
	return first, last
}

// FirstKey finds a key in a command line of this row: the first one whose slot counts. It allocates nothing for most rows.
func (s *Spec) FirstKey(args []string) (key string, ok bool) {
	pos := 0
	switch {
	case s.InRanges:
		pos = s.Keys[0].Index
	case s.Counted && IsInteger(args, s.Keys[0].Index+s.Keys[0].NumIdx):
		first, last := s.Keys[0].Span(args)
		if first > last {
			return "", false
		}
		pos = first
	case len(s.Keys) > 0 || s.Locate != nil:
		keys := s.SlotKeys(args)
		if len(keys) == 0 {
			return "", false
		}
		pos = keys[0].Pos
	default:
		return "", false
	}
	if pos >= len(args) {
		return "", false
	}
	return args[pos], true
}

// lastStored leaves of several keys to store under the last, which is the one used.
func lastStored(args []string, keys []Key) []Key {
	for i := len(args) - 2; len(keys) > 2 && i > 4; i-- {
		if parse.IsToken(args[i], "store") || parse.IsToken(args[i], "storedist") {
			return []Key{keys[0], {Pos: i + 1}}
		}
	}
	return keys
}

// streamKeys are the keys behind STREAMS, if only options stand before it, and behind it as many ids as keys.
func streamKeys(args []string) (keys []Key) {
	for i := 1; i < len(args); i++ {
		switch strings.ToLower(args[i]) {
		case "block", "count":
			i++
		case "group":
			i += 2
		case "noack":
		case "streams":
			n := len(args) - i - 1
			for pos := i + 1; n%2 == 0 && pos <= i+n/2; pos++ {
				keys = append(keys, Key{Pos: pos})
			}
			return keys
		default:
			return nil
		}
	}
	return nil
}
