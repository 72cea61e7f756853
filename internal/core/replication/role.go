package replication

import (
	"strconv"

	"github.com/redmoon-lua/redmoon/reply"
)

// isReplica reports whether this server follows a master.
func (st *State) isReplica() bool { return st.master != nil }

// cannotFeed returns the error with which a replica is refused now, or "".
func (st *State) cannotFeed() string {
	if st.FailingOver() {
		return "NOMASTERLINK Can't SYNC while failing over"
	}
	if st.isReplica() && st.master.session == nil {
		return "NOMASTERLINK Can't SYNC while not connected with my master"
	}
	return ""
}

// masterRole returns the reply of ROLE of a master.
func (st *State) masterRole() reply.Value {
	list := []reply.Value{}
	for _, r := range st.replicas {
		if r.phase == online && r.host() != "" {
			list = append(list, reply.Bulks(r.host(), strconv.Itoa(r.port), strconv.FormatInt(r.ackOffset, 10)))
		}
	}
	return reply.Array(reply.Bulk("master"), reply.Int(st.offset), reply.Array(list...))
}
