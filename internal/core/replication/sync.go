package replication

import (
	"fmt"
	"io"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// Sync runs SYNC and PSYNC: the session becomes a replica, which continues or gets a copy.
func (st *State) Sync(c *server.Ctx) reply.Value {
	sess, log := c.Session, st.srv.Log
	if r := st.bySession[sess]; r != nil && r.isReplica() || sess.Monitors {
		return reply.None()
	}
	psync := strings.EqualFold(c.Args[0], "psync")
	if psync && c.NArg() > 3 && strings.EqualFold(c.Args[3], "failover") {
		if v, stop := st.takeFailover(c); stop {
			return v
		}
	}
	if problem := st.cannotFeed(); problem != "" {
		return reply.Err(problem)
	}
	if st.srv.Owner.HasUnsentReplies(sess) {
		return reply.Err("ERR SYNC and PSYNC are invalid with pending output")
	}
	if sess.TakeOver == nil {
		return reply.Err("ERR only a connection can be a replica")
	}
	r := st.ofSession(sess)
	if (r.noData || r.noFunctions) && r.capa&capEOF == 0 {
		return reply.Err("ERR Filtered replica requires EOF capability")
	}
	log.Info("Replica " + r.name() + " asks for synchronization")
	if psync {
		offset, ok := parse.Int(c.Args[2])
		if !ok {
			log.Warn("Replica " + r.name() + " asks for synchronization but with a wrong offset")
			return reply.Err(errtext.NotInteger)
		}
		if st.resume(r, c.Args[1], offset) {
			st.counts.PartialSyncs++
			return reply.None()
		}
		if !strings.HasPrefix(c.Args[1], "?") {
			st.counts.RefusedPartialSyncs++
		}
	} else {
		r.preSync = true
	}
	st.counts.FullSyncs++
	st.openAsMaster()
	st.attach(r, waitsStart)
	st.wantCopy(r)
	return reply.None()
}

// attach makes a session a replica.
func (st *State) attach(r *replica, p phase) {
	r.phase, r.since = p, st.seconds()
	r.ackOffset, r.fileOffset, r.ackTime, r.stuck = 0, 0, r.since, r.since
	r.out = newSender(&st.sent, st.srv.ContinueImage)
	out := r.out
	st.replicas = append(st.replicas, r)
	st.srv.HandOver(r.sess, func(w io.Writer, over <-chan struct{}) { out.run(w, over) })
	st.tick()
}

// resume lets a replica continue at an offset of a history. It returns false if that is impossible.
func (st *State) resume(r *replica, id string, offset int64) bool {
	log := st.srv.Log
	if !st.knows(id, offset) {
		switch {
		case strings.HasPrefix(id, "?"):
			log.Info("Full resync requested by replica " + r.name())
		case strings.EqualFold(id, st.second):
			log.Info(fmt.Sprintf("Partial resynchronization not accepted: Requested offset for second ID was %d, but I can reply up to %d",
				offset, st.secondUntil))
		default:
			log.Info(fmt.Sprintf("Partial resynchronization not accepted: Replication ID mismatch (Replica asked for '%s', my "+
				"replication IDs are '%s' and '%s')", errtext.OneLine(errtext.Cut(id, 128)), st.id, st.second))
		}
		return false
	}
	if st.backlog == nil || !st.backlog.holds(offset) {
		log.Info(fmt.Sprintf("Unable to partial resync with replica %s for lack of backlog (Replica request was: %d).", r.name(), offset))
		if offset > st.offset {
			log.Warn("Warning: replica " + r.name() + " tried to PSYNC with an offset that is greater than the master replication offset.")
		}
		return false
	}
	st.attach(r, online)
	r.out.hold(st.backlog, offset-1)
	line := "+CONTINUE\r\n"
	if r.capa&capPSync2 != 0 {
		line = "+CONTINUE " + st.id + "\r\n"
	}
	r.out.add(part{bytes: []byte(line)})
	r.out.flow()
	log.Info(fmt.Sprintf("Partial resynchronization request from %s accepted. Sending %d bytes of backlog starting from offset %d.",
		r.name(), st.offset+1-offset, offset))
	st.updateGood()
	return true
}
