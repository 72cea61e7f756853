package replication

import (
	"github.com/redmoon-lua/redmoon/internal/parse"
	"github.com/redmoon-lua/redmoon/internal/server"
)

// open makes a backlog, if there is none. The stream of a master gets a new ID then, because what
// happened before is not in it.
func (st *State) open() {
	if st.backlog != nil {
		return
	}
	st.backlog = newBacklog(st.number("repl-backlog-size"), st.offset+1)
}

// collect makes the effects of this server its stream, as those of a master are.
func (st *State) collect() {
	if st.stop == nil {
		st.stream.Forget()
		st.stop = st.srv.Receive(st.take)
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

// feedRaw appends bytes to the stream: effects of a master, or what a replica has got from its
// master and has run. It does not wait and does not keep p.
func (st *State) feedRaw(p []byte) {
	if len(p) == 0 {
		return
	}
	st.offset += int64(len(p))
	if st.backlog != nil {
		st.backlog.append(p)
	}
}

// number returns the value of a numeric parameter.
func (st *State) number(param string) int64 {
	n, _ := parse.Int(st.srv.Config.Value(param))
	return n
}

// enabled reports whether a parameter is yes.
func (st *State) enabled(param string) bool { return st.srv.Config.Value(param) == "yes" }
