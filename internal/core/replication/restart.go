package replication

import "github.com/redmoon-lua/redmoon/internal/core/server"

// Place implements [server.Replication].
func (st *State) Place() (p server.ReplicationPlace, ok bool) {
	p = server.ReplicationPlace{ID: st.id, Offset: st.offset}
	switch {
	case st.master == nil:
		p.DB = max(0, st.stream.Selected-1)
		return p, st.backlog != nil
	case st.master.session != nil:
		p.DB = st.master.session.DB.ID()
		return p, true
	}
	p.DB = st.resumeDB
	return p, st.resumable
}

// BeginRestart implements [server.Replication].
func (st *State) BeginRestart() {
	if !st.isReplica() {
		st.open()
		st.collect()
	}
}

// EndRestart implements [server.Replication].
func (st *State) EndRestart(p server.ReplicationPlace, ok bool) {
	switch {
	case !ok && st.isReplica():
	case !ok:
		st.endCollect()
		st.backlog, st.offset = nil, 0
	case st.isReplica():
		st.id, st.offset = p.ID, p.Offset
		st.resumable, st.resumeDB = true, p.DB
		st.logOwnHistory()
		st.open()
	default:
		st.second, st.secondUntil = p.ID, p.Offset+1
		st.offset += p.Offset
		st.backlog.shift(p.Offset)
		st.aloneSince = st.seconds()
	}
}
