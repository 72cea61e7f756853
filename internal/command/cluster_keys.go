package command

import (
	"slices"
	"strings"
)

// slotKeys are the keys of a command line whose slots count. They are those of FindKeys, but where Redis has another way to find them for this
// than for rights.
func (s *Spec) slotKeys(args []string) []Key {
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
		for pos := k.Index; k.Step > 0 && pos <= min(k.lastArg(k.Index, len(args)), len(args)-1); pos += k.Step {
			keys = append(keys, Key{Pos: pos})
		}
	}
	return keys
}

// lastStored leaves of several keys to store under the last, which is the one used.
func lastStored(args []string, keys []Key) []Key {
	for i := len(args) - 2; len(keys) > 2 && i > 4; i-- {
		if isToken(args[i], "store") || isToken(args[i], "storedist") {
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
