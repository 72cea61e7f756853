package replication

import (
	"errors"
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/datastore/rdbfile"
	"github.com/redmoon-lua/redmoon/internal/base/quoting"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/replication/link"
	"github.com/redmoon-lua/redmoon/reply"
)

// noCommand is the name of a command that is none.
const noCommand = "<unknown>"

// errorToMaster logs that a command of the master, or what was none, has failed. A master sends
// only what has succeeded there, so the two have different data.
func (st *State) errorToMaster(text, name string) {
	st.srv.Stats.UnexpectedErrors++
	if rest, plain := strings.CutPrefix(text, "ERR "); plain {
		text = rest
	} else {
		text = "-" + text
	}
	st.srv.Log.Warn(fmt.Sprintf("== CRITICAL == This replica is sending an error to its master: '%s' after processing the command '%s'",
		text, name))
	if st.backlog != nil && st.backlog.length() > 0 {
		st.srv.Log.Warn("Latest backlog is: '" + string(quoting.Append(nil, st.backlog.latest(shownBacklog))) + "'")
	}
}

// logErrors logs the errors in the reply to a command of the master.
func (f *follower) logErrors(v reply.Value) {
	if v.IsError() {
		f.st.errorToMaster(v.Text(), f.last)
	} else if f.last == "exec" {
		for _, v := range v.Slice() {
			if v.IsError() {
				f.st.errorToMaster(v.Text(), f.last)
			}
		}
	}
}

// shownBacklog is the number of bytes of the backlog in the log.
const shownBacklog = 256

// logViolation logs how the master has violated the protocol of the stream.
func (f *follower) logViolation(err error) {
	var v *link.Violation
	if f.session == nil || !errors.As(err, &v) {
		return
	}
	if v.Reply == "" {
		f.st.srv.Log.Warn("WARNING: Receiving inline protocol from master, master stream corruption? Closing the master connection and " +
			"discarding the cached master.")
	} else {
		f.st.errorToMaster("ERR "+v.Reply, f.last)
	}
	f.st.srv.Log.Warn(fmt.Sprintf("Protocol error (%s) from client: %s. %s", v.Note, f.st.srv.Describe(f.session), v.Seen))
}

// logLoaded logs what has been loaded.
func (f *follower) logLoaded(g *staging) {
	s := f.st.srv
	g.loaded.Log(s.Log, f.st.env.Now(), rdbfile.LogForm{
		Kinds: s.Follows.Has(servers.ServerInFiles), Fields: s.Follows.Has(servers.FieldsLeftOut),
	})
}

// logLoadFailed logs why a copy has not been loaded. ended says that its RDB file was complete.
func (f *follower) logLoadFailed(err error, mode string, ended bool) {
	log := f.st.srv.Log
	if ended {
		f.logLoaded(f.staged)
	}
	if ended && mode != loadToDisk && (f.sync.Marked || errors.Is(err, errMark)) {
		log.Warn(errMark.Error())
		return
	}
	if errors.Is(err, link.ErrCut) {
		err = &datastore.FileError{Err: datastore.ErrFileShort}
	}
	if line, _ := rdbfile.Complaint(err, f.st.srv.Store.Databases()); line != "" {
		log.Warn(line)
	}
	from := "disk"
	if mode != loadToDisk {
		from = "socket"
	}
	log.Warn("Failed trying to load the MASTER synchronization DB from " + from + ": " + err.Error())
}
