package keys

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/cmdtable"
)

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
