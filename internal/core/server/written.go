package server

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// A script that fails leaves what it has written, unless the rule UndoFailures is set. The pending
// effects say what that is. Without receivers of effects, only the first writes of a script become
// effects, and the others are counted.

// maxWritten is the number of writes of a script that Written returns.
const maxWritten = 32

// Write is a command that has changed something.
type Write struct {
	DB   int      // number of the database
	Args []string // command line
	Keys []string // the keys that it names to write to them
}

// Written returns the commands of the running script that have changed something, in order, at most
// maxWritten, and how many there are more. Keys that have expired are not included.
func (s Control) Written() (list []Write, more int) {
	r := &s.Run
	for i := range s.effects.pending[min(r.effects, len(s.effects.pending)):] {
		x := &s.effects.pending[r.effects+i]
		if !x.written {
			continue
		}
		if len(list) == maxWritten {
			break
		}
		w := Write{DB: x.DB, Args: x.Args}
		if spec := s.Table.Resolve(x.Args); spec != nil {
			for _, k := range spec.FindKeys(x.Args) {
				if k.Flags&cmdtable.RO == 0 {
					w.Keys = append(w.Keys, x.Args[k.Pos])
				}
			}
		}
		list = append(list, w)
	}
	return list, r.writes - len(list)
}
