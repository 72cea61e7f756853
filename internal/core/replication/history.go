package replication

import (
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/core/server"
)

// noSecond is the second replication ID of a server that has none.
var noSecond = strings.Repeat("0", 40)

// history says which replication stream this server has, and up to which offset.
type history struct {
	id     string // replication ID
	offset int64  // of the last byte of the stream; 0: there is none yet

	second      string // the ID of the former master; noSecond: none
	secondUntil int64  // the first offset at which the history of second differs; -1: none
}

// ReplID returns the replication ID.
func (st *State) ReplID() string { return st.id }

// Offset returns the offset of the last byte of the replication stream.
func (st *State) Offset() int64 { return st.offset }

// renew gives the server a new replication ID without a second one: no replica can continue.
func (st *State) renew() {
	st.id = server.NewRunID(st.srv.Store)
	st.forgetSecond()
}

// forgetSecond drops the second replication ID.
func (st *State) forgetSecond() { st.second, st.secondUntil = noSecond, -1 }

// shift gives the server a new replication ID and keeps the present one as the second: replicas of
// the former master may continue here. A replica does this when it becomes a master.
func (st *State) shift() {
	st.second, st.secondUntil = st.id, st.offset+1
	st.id = server.NewRunID(st.srv.Store)
	st.logSecondary()
}

// logSecondary logs that a replication ID has become the second one.
func (st *State) logSecondary() {
	st.srv.Log.Warn(fmt.Sprintf("Setting secondary replication ID to %s, valid up to offset: %d. New replication ID is %s",
		st.second, st.secondUntil, st.id))
}

// follow takes the ID and the offset of a master over, after a full copy from it.
func (st *State) follow(id string, offset int64) {
	st.id, st.offset = id, offset
	st.forgetSecond()
}

// knows reports whether a replica that has the history of id, up to the byte before offset, can
// continue here as far as IDs are concerned.
func (h *history) knows(id string, offset int64) bool {
	return strings.EqualFold(id, h.id) || strings.EqualFold(id, h.second) && offset <= h.secondUntil
}
