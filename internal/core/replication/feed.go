package replication

import (
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
)

// open makes a backlog, if there is none.
func (st *State) open() {
	if st.backlog == nil {
		st.backlog = newBacklog(st.number("repl-backlog-size"), st.offset+1)
		st.aloneSince = st.seconds()
		st.tick()
	}
}

// openAsMaster makes the backlog of a master, if there is none. The stream gets a new ID, because
// what happened before is not in it.
func (st *State) openAsMaster() {
	if st.backlog != nil {
		return
	}
	st.renew()
	st.open()
	st.collect()
	st.srv.Log.Info("Replication backlog created, my new replication IDs are '" + st.id + "' and '" + st.second + "'")
}

// free removes the backlog. No replica can continue where it was.
func (st *State) free() {
	st.endCollect()
	st.backlog = nil
	st.renew()
}

// collect makes the effects of this server its stream, as those of a master are.
func (st *State) collect() {
	if st.stop == nil {
		st.stream.Forget()
		st.stop = st.srv.Receive(server.ToReplicas, st.take)
	}
}

// endCollect ends collect: the stream of a replica is that of its master.
func (st *State) endCollect() {
	if st.stop != nil {
		st.stop()
		st.stop = nil
	}
}

// take appends effects to the stream.
func (st *State) take(list []server.Effect, together bool) {
	st.buf = st.stream.Append(st.buf[:0], list, together)
	st.feedRaw(st.buf)
	if cap(st.buf) > 1<<20 {
		st.buf = nil
	}
}

// Feed implements server.Replication.
func (st *State) Feed(args []string) {
	if st.backlog != nil && !st.isReplica() {
		st.feedRaw(server.AppendCommand(nil, args...))
	}
}

// feedRaw appends bytes to the stream: effects of a master, or what a replica has got from its
// master and has run. It does not wait and does not keep p.
func (st *State) feedRaw(p []byte) {
	if len(p) == 0 {
		return
	}
	st.offset += int64(len(p))
	if st.backlog == nil {
		return
	}
	st.backlog.append(p)
	if len(st.replicas) == 0 {
		return
	}
	for _, r := range st.replicas {
		if r.phase == online && !r.streamOnAck {
			r.out.more()
		}
	}
	st.checkOutput()
}

// configChanged is called when a parameter of replication has changed.
func (st *State) configChanged() {
	if st.backlog != nil {
		st.backlog.resize(st.number("repl-backlog-size"))
	}
	st.updateGood()
	st.srv.SetFollowing(st.srv.Following)
}

// number returns the value of a numeric parameter.
func (st *State) number(param string) int64 {
	n, _ := parse.Int(st.srv.Config.Value(param))
	return n
}

// enabled reports whether a parameter is yes.
func (st *State) enabled(param string) bool { return st.srv.Config.Value(param) == "yes" }
