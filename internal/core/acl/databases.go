package acl

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
)

// Place is where a command runs.
type Place struct {
	DB    int // the database of the session
	Count int // number of databases
}

// checkDatabases reports whether the selector allows the databases that a command uses. If not, at
// is the argument that names one; 0 for that of the session, and for all.
func (s *Selector) checkDatabases(spec *cmdtable.Spec, args []string, p Place) (at int, ok bool) {
	if !s.someDBs {
		return 0, true
	}
	if spec.DBs == cmdtable.UsesAllDBs {
		for db := range p.Count {
			if !s.allowsDatabase(db) {
				return 0, false
			}
		}
		return 0, true
	}
	for _, i := range spec.DBArgs(args, p.Count) {
		if db, _ := parse.Int(args[i]); !s.allowsDatabase(int(db)) {
			return i, false
		}
	}
	return 0, !spec.UsesSessionDB() || s.allowsDatabase(p.DB)
}

func (s *Selector) allowsDatabase(db int) bool {
	_, found := slices.BinarySearch(s.dbs, db)
	return found
}

// applyDatabases applies a rule such as db=1,2. Its databases replace those of earlier rules.
func (s *Selector) applyDatabases(list string) (problem string) {
	var dbs []int
	for _, word := range strings.Split(list, ",") {
		word = strings.TrimLeftFunc(word, func(r rune) bool { return r < 0x80 && parse.IsSpace(byte(r)) })
		digits := word
		if word != "" && (word[0] == '-' || word[0] == '+') {
			digits = word[1:]
		}
		if digits == "" || strings.Trim(digits, "0123456789") != "" {
			return ruleSyntax
		}
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil || n < 0 || n > math.MaxInt32 {
			return ruleBadDatabase
		}
		dbs = append(dbs, int(n))
	}
	slices.Sort(dbs)
	s.someDBs, s.dbs = true, slices.Compact(dbs)
	return ""
}

// describeDatabases returns the rule about databases.
func (s *Selector) describeDatabases() string {
	switch {
	case !s.someDBs:
		return "alldbs"
	case len(s.dbs) == 0:
		return ""
	}
	words := make([]string, len(s.dbs))
	for i, db := range s.dbs {
		words[i] = strconv.Itoa(db)
	}
	return "db=" + strings.Join(words, ",")
}
