package cmdtable

import "slices"

// SlotKeys returns the keys of a command line that decide its cluster slot. They are those of
// FindKeys, except where Redis finds them in another way (see Spec.LocateSlots). Caller must have
// checked arity.
func (s *Spec) SlotKeys(args []string) []Key {
	if !s.HasKeys() {
		return nil
	}
	if s.LocateSlots != nil {
		return s.LocateSlots(s, args)
	}
	keys := s.FindKeys(args)
	if keys == nil && s.Flags&MovableKeys == 0 && s.Locate == nil {
		return s.keysOfRanges(args)
	}
	return slices.DeleteFunc(keys, func(k Key) bool { return k.Pos >= len(args) })
}

// keysOfRanges returns the keys of all ranges, of which some may be empty: PFMERGE may name no
// source.
func (s *Spec) keysOfRanges(args []string) (keys []Key) {
	for i := range s.Keys {
		k := &s.Keys[i]
		for pos := k.Index; k.Step > 0 && pos <= min(k.LastArg(k.Index, len(args)), len(args)-1); pos += k.Step {
			keys = append(keys, Key{Pos: pos})
		}
	}
	return keys
}

// classifyKeys finds out how the gate can find the keys without making a list of them: all are in
// ranges that begin at a fixed place, the first argument is the only key, or an argument is the
// number of keys.
func (s *Spec) classifyKeys() {
	special := s.LocateSlots != nil || s.Locate != nil || len(s.Keys) == 0
	s.InRanges = !special && s.Flags&MovableKeys == 0
	s.OneKey = s.InRanges && len(s.Keys) == 1 && s.Keys[0].Index == 1 && s.Keys[0].Last == 0 && s.MinArgs >= 2
	s.Counted = !special && len(s.Keys) == 1 && s.Keys[0].KeyNum && s.Keys[0].Keyword == "" && s.Keys[0].Index > 0
}

// Span returns the places of the first and the last key of a key-spec whose number of keys is an
// argument. Caller must have checked that the argument is an integer. The span is empty (last <
// first) when there are fewer arguments than keys.
func (k *KeySpec) Span(args []string) (first, last int) {
	n := LeadingInt(args, k.Index+k.NumIdx)
	first = k.Index + k.First
	if last = first + (n-1)*k.Step; last >= len(args) {
		return first, first - 1
	}
	return first, last
}

// FirstKey returns the first of the keys that SlotKeys finds. It allocates nothing for most rows.
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
	case s.HasKeys():
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
