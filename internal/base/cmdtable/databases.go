package cmdtable

import (
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/decimal"
)

// DBs says which databases a command uses, where that does not follow from its flags.
type DBs uint8

// The databases of commands.
const (
	UsesOwnDB      DBs = iota // that of the session, if it reads or writes keys
	UsesDB1                   // that of argument 1
	UsesDB1And2               // those of arguments 1 and 2
	UsesOwnAndDB2             // that of the session and that of argument 2
	UsesOwnAndCopy            // that of the session and those behind the option DB of COPY
	UsesAllDBs                // all
)

// UsesSessionDB reports whether the command needs a right to the database of the session.
func (s *Spec) UsesSessionDB() bool {
	switch s.DBs {
	case UsesDB1, UsesDB1And2, UsesAllDBs:
		return false
	}
	return s.Flags&(ReadOnly|Write) != 0 || s.Categories()&CatKeyspace != 0 ||
		slices.ContainsFunc(s.Keys, func(k KeySpec) bool { return k.Flags&NotKey == 0 })
}

// DBArgs returns the arguments that name databases, or nil if a name is not that of one of count
// databases.
func (s *Spec) DBArgs(args []string, count int) (at []int) {
	switch s.DBs {
	case UsesDB1:
		at = []int{1}
	case UsesDB1And2:
		at = []int{1, 2}
	case UsesOwnAndDB2:
		at = []int{2}
	case UsesOwnAndCopy:
		at = copyDBs(args)
	}
	for _, i := range at {
		if n, ok := decimal.Parse(args[i]); !ok || n < 0 || n >= int64(count) {
			return nil
		}
	}
	return at
}

// copyDBs returns the arguments behind the options DB of COPY, or nil if there are other options.
func copyDBs(args []string) (at []int) {
	for i := 3; i < len(args); i++ {
		switch {
		case strings.EqualFold(args[i], "replace"):
		case strings.EqualFold(args[i], "db") && i+1 < len(args):
			i++
			at = append(at, i)
		default:
			return nil
		}
	}
	return at
}
