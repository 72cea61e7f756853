package replication

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/core/server"
)

// phase is how far a replica has got.
type phase uint8

const (
	shaking     phase = iota // it has sent REPLCONF only
	waitsStart               // it waits for the beginning of a copy
	waitsEnd                 // its copy is being made
	sendsBulk                // a copy that has been made is being sent to it
	online                   // it gets the stream
	transmitted              // it has asked for a copy only, and has got it
)

// stateNames are the phases in INFO.
var stateNames = [...]string{waitsStart: "wait_bgsave", waitsEnd: "wait_bgsave", sendsBulk: "send_bulk", online: "online",
	transmitted: "rdb_transmitted"}

// Capabilities of a replica.
type capability uint8

const (
	capEOF    capability = 1 << iota // it reads copies that end with a mark
	capPSync2                        // it understands +CONTINUE with a new ID
)

// replica is a session that has sent REPLCONF or is a replica.
type replica struct {
	sess  *server.Session
	phase phase

	ip           string // that it has announced, or ""
	port         int    // that it listens on
	capa         capability
	rdbOnly      bool  // it wants a copy, no stream
	noData       bool  // it wants no keys in the copy
	noFunctions  bool  // it wants no functions in the copy
	preSync      bool  // it has used SYNC: it does not acknowledge
	since        int64 // s; when it asked for synchronization
	out          *sender
	copyOffset   int64 // offset of its copy
	streamOnAck  bool  // the stream begins with the first acknowledgment
	ackOffset    int64 // what it has acknowledged
	fileOffset   int64 // what it has acknowledged of its append-only file
	ackTime      int64 // s; when it did so
	acted, stuck int64 // number of writes at the last look, and since when (s) it is the same
	softSince    int64 // ms; since when its output exceeds the soft limit; 0: it does not
}

// isReplica reports whether it has asked for synchronization.
func (r *replica) isReplica() bool { return r.phase != shaking }

// ofSession returns what a session has said with REPLCONF. It makes an empty one if necessary.
func (st *State) ofSession(sess *server.Session) *replica {
	r := st.bySession[sess]
	if r == nil {
		r = &replica{sess: sess}
		if st.bySession == nil {
			st.bySession = map[*server.Session]*replica{}
		}
		st.bySession[sess], sess.Replicating = r, true
	}
	return r
}

// name identifies a replica in the log.
func (r *replica) name() string {
	host := r.host()
	switch {
	case host == "":
		return fmt.Sprintf("client id #%d", r.sess.ID)
	case r.port == 0:
		return host + ":<unknown-replica-port>"
	}
	return host + ":" + strconv.Itoa(r.port)
}

// host returns the address of the replica: announced, or that of its connection.
func (r *replica) host() string {
	if r.ip != "" {
		return r.ip
	}
	if strings.HasPrefix(r.sess.Addr, "/") {
		return "?"
	}
	host, _, err := net.SplitHostPort(r.sess.Addr)
	if err != nil {
		return ""
	}
	return host
}

// drop ends the connection of a replica.
func (st *State) drop(r *replica) { st.srv.HangUp(r.sess, nil) }

// SessionEnds implements [server.Replication].
func (st *State) SessionEnds(sess *server.Session) {
	r := st.bySession[sess]
	delete(st.bySession, sess)
	sess.Replicating = false
	i := slices.Index(st.replicas, r)
	if i < 0 {
		return
	}
	st.replicas = slices.Delete(st.replicas, i, i+1)
	if !st.ended {
		st.srv.Log.Warn("Connection with replica " + r.name() + " lost.")
	}
	if len(st.replicas) == 0 {
		st.aloneSince = st.seconds()
	}
	st.left(r)
	st.updateGood()
	st.serveWaiters()
	st.checkShutdown()
}

// putOnline makes a replica get the stream, or end if it wants a copy only.
func (st *State) putOnline(r *replica) {
	if r.rdbOnly {
		r.phase = transmitted
		st.srv.Log.Info("RDB transfer completed, rdb only replica (" + r.name() + ") should be disconnected asap")
		return
	}
	r.phase = online
	r.ackTime = st.seconds()
	st.updateGood()
	st.srv.Log.Info("Synchronization with replica " + r.name() + " succeeded")
}

// startStream lets the stream flow to an online replica.
func (r *replica) startStream() {
	r.streamOnAck = false
	r.out.flow()
}

// unsent returns the number of bytes of the stream that wait for the replica, and of the copy
// beyond what a copy in progress may have waiting.
func (st *State) unsent(r *replica) int64 {
	n := int64(0)
	if r.phase >= waitsEnd && !r.rdbOnly {
		n = max(0, st.offset-r.out.streamed.Load())
	}
	return n + max(0, r.out.inMemory()-paceHigh)
}

// checkOutput ends the replicas whose output exceeds client-output-buffer-limit of the class slave.
func (st *State) checkOutput() {
	limit := &st.srv.Config.ReplicaLimit
	hard, soft := limit.Hard, limit.Soft
	if size := st.backlog.size; hard > 0 {
		hard = max(hard, size)
	}
	var over []*replica
	for _, r := range st.replicas {
		if r.phase == waitsStart || r.sess.CloseAfter {
			continue
		}
		n := st.unsent(r)
		switch {
		case hard > 0 && n >= hard:
			over = append(over, r)
		case soft > 0 && n >= soft:
			now := st.srv.Store.Now()
			if r.softSince == 0 {
				r.softSince = now
			} else if now/1000-r.softSince/1000 > limit.Seconds {
				over = append(over, r)
			}
		default:
			r.softSince = 0
		}
	}
	for _, r := range over {
		st.srv.Log.Warn("Client " + st.srv.Describe(r.sess) + " scheduled to be closed ASAP for overcoming of output buffer limits.")
		st.drop(r)
	}
}
