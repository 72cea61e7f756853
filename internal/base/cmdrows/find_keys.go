package cmdrows

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/glob"
)

// bitfieldKeyFlags says that BITFIELD writes its key unless all operations are GET. An operation
// that it does not know counts as a write, as in Redis.
func bitfieldKeyFlags(args []string) cmdtable.KeyFlag {
	for ops := args[2:]; len(ops) > 0; {
		switch {
		case len(ops) > 2 && strings.EqualFold(ops[0], "get"):
			ops = ops[3:]
		case len(ops) > 1 && strings.EqualFold(ops[0], "overflow"):
			ops = ops[2:]
		default:
			return cmdtable.RW | cmdtable.Access | cmdtable.Update
		}
	}
	return cmdtable.RO | cmdtable.Access
}

// storeSlotKeys finds the keys of GEORADIUS that decide the slot: of several keys to store under,
// only the last, which is the one that the command writes.
func storeSlotKeys(spec *cmdtable.Spec, args []string) []cmdtable.Key {
	keys := spec.FindKeys(args)
	for i := len(args) - 2; len(keys) > 2 && i > 4; i-- {
		if glob.IsToken(args[i], "store") || glob.IsToken(args[i], "storedist") {
			return []cmdtable.Key{keys[0], {Pos: i + 1}}
		}
	}
	return keys
}

// locateMigrateKeys finds the keys of MIGRATE: the third argument, or those behind KEYS. It finds
// none if both are given. A KEYS at the end counts only if there is another one, as in Redis.
func locateMigrateKeys(args []string) (keys []cmdtable.Key) {
	first, last, end := 3, 3, 0
	for _, arg := range args[2 : len(args)-1] {
		if strings.EqualFold(arg, "keys") {
			end = len(args)
		}
	}
	for i := 6; i < end; i++ {
		switch strings.ToLower(args[i]) {
		case "auth":
			i++
		case "auth2":
			i += 2
		case "keys":
			if args[3] != "" {
				return nil
			}
			first, last, i = i+1, end-1, end
		}
	}
	for pos := first; pos <= last; pos++ {
		keys = append(keys, cmdtable.Key{Pos: pos, Flags: cmdtable.RW | cmdtable.Access | cmdtable.Delete})
	}
	return keys
}

// sortKeys finds the keys of SORT: the key to sort and the key of the last STORE.
func sortKeys(args []string) []cmdtable.Key {
	keys := []cmdtable.Key{{Pos: 1, Flags: cmdtable.RO | cmdtable.Access}}
	for i := 2; i < len(args); i++ {
		switch a := args[i]; {
		case glob.IsToken(a, "limit"):
			i += 2
		case glob.IsToken(a, "get"), glob.IsToken(a, "by"):
			i++
		case glob.IsToken(a, "store") && i+1 < len(args):
			keys = append(keys[:1], cmdtable.Key{Pos: i + 1, Flags: cmdtable.OW | cmdtable.Update})
			i++
		}
	}
	return keys
}

// sortPatterns returns the patterns of BY and GET that stand for keys.
func sortPatterns(args []string) []string {
	var patterns []string
	for i := 2; i < len(args); i++ {
		switch a := args[i]; {
		case glob.IsToken(a, "limit"):
			i += 2
		case glob.IsToken(a, "store"):
			i++
		case (glob.IsToken(a, "get") || glob.IsToken(a, "by")) && i+1 < len(args):
			i++
			if head, _, _ := strings.Cut(args[i], "\x00"); strings.Contains(head, "*") { // as with C strings
				patterns = append(patterns, args[i])
			}
		}
	}
	return patterns
}

// readSlotKeys finds the keys of XREAD and XREADGROUP that decide the slot. There are none unless
// only options stand before STREAMS, and as many ids as keys behind it.
func readSlotKeys(_ *cmdtable.Spec, args []string) (keys []cmdtable.Key) {
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
				keys = append(keys, cmdtable.Key{Pos: pos})
			}
			return keys
		default:
			return nil
		}
	}
	return nil
}

// delexKeyFlags says that DELEX reads its key only with a condition.
func delexKeyFlags(args []string) cmdtable.KeyFlag {
	if len(args) > 2 {
		return cmdtable.RW | cmdtable.Access | cmdtable.Delete
	}
	return cmdtable.RM | cmdtable.Delete
}

// setKeyFlags says that SET reads its key only with GET.
func setKeyFlags(args []string) cmdtable.KeyFlag {
	for _, a := range args[min(3, len(args)):] {
		if strings.EqualFold(a, "get") {
			return cmdtable.RW | cmdtable.Access | cmdtable.Update
		}
	}
	return cmdtable.OW | cmdtable.Update
}
