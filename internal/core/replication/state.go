package replication

import (
	"context"
	"io"
	"net"
	"sync/atomic"
	"time"

	"github.com/redmoon-lua/redmoon/internal/core/replication/link"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// Env is what replication needs of the engine around it. A nil function is one that the engine does
// not have; then what needs it is refused.
type Env struct {
	// After calls f on the loop when d has passed, unless stop has been called before. f is not
	// called once the engine is closed.
	After func(d time.Duration, f func()) (stop func())
	// Do calls f on the loop and waits for its end. It is for other goroutines. It returns an error,
	// without calling f, if the engine is closed.
	Do func(f func()) error
	// Soon calls f on the loop soon, between commands. It never waits. f is not called once the engine
	// is closed.
	Soon func(f func())
	// Now returns the present time of the engine's clock. It may be called by any goroutine.
	Now func() time.Time
	// TempFile makes a file without a name for the copy that is sent to replicas.
	TempFile func() (File, error)
	// Clock is the time of the link to a master.
	Clock link.Clock
	// Dial connects to a master, encrypted if tls is set.
	Dial func(ctx context.Context, addr string, tls bool) (net.Conn, error)
	// Execute runs a command of the master on the loop. It never waits.
	Execute func(sess *server.Session, args []string) reply.Value
	// ReplaceLibraries replaces the function libraries by those with the given source texts, or none
	// after an error.
	ReplaceLibraries func(texts []string) error
}

// File holds the copy for replicas that need its length in advance. Closing it frees it.
type File interface {
	io.Writer
	io.ReaderAt
	io.Closer
}

// State is the replication of one server. The loop owns it.
type State struct {
	srv server.Control
	env Env
	history
	backlog *backlog // nil: no replica has come yet, or the last has been gone for repl-backlog-ttl
	stream  server.EffectStream
	stop    func() // ends the receipt of effects; nil: there is none
	buf     []byte // reused by take

	master     *follower                    // follows the master; nil: this is a master
	resumable  bool                         // the history can go on, if the master knows it
	resumeDB   int                          // number of the database that the stream had selected when it was lost
	downSince  int64                        // when the connection with the master was lost, s since the epoch; 0: it stands
	replicas   []*replica                   // in the order in which they have come
	bySession  map[*server.Session]*replica // also of sessions that have sent REPLCONF only; nil before the first
	aloneSince int64                        // s; when the last replica left, or the server began to wait for one
	good       int                          // number of replicas that count for min-replicas-to-write
	waiters    []*waiter                    // of WAIT and WAITAOF
	ackWanted  bool                         // replicas must be asked for acknowledgments when no pause lasts
	failover   failover                     // by which this master hands its part over
	shutdown   shutdown                     // that waits for replicas
	ended      bool                         // by SHUTDOWN
	copying    *copyJob                     // the copy that is being made; nil: none
	loops      int64                        // number of runs of cron
	ticking    bool                         // cron is scheduled
	counts     server.ReplicationCounts
	sent       atomic.Int64 // bytes sent to replicas
	copied     atomic.Int64 // bytes of copies that the master has sent
}

// New returns the replication of a server, which is a master without replicas, and makes it the
// server's.
func New(srv server.Control, env Env) *State {
	st := &State{srv: srv, env: env, stream: server.EffectStream{To: server.ToReplicas}, loops: 1}
	st.history = history{second: noSecond, secondUntil: -1}
	st.renew()
	srv.Replication = st
	srv.Config.ReplicationChanged = st.configChanged
	return st
}

// Of returns the replication of a server, which [New] has made.
func Of(srv *server.Server) *State { return srv.Replication.(*State) }
