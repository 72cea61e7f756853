package replication

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// failoverState is how far a failover, by which this master hands its part over, has come.
type failoverState uint8

const (
	noFailover         failoverState = iota
	failoverWaits                    // until the replica has everything
	failoverInProgress               // this server asks the replica to be its master
)

// String returns the name of the state in INFO.
func (s failoverState) String() string {
	return [...]string{"no-failover", "waiting-for-sync", "failover-in-progress"}[s]
}

// failover is the failover that this master has begun. While it lasts, clients cannot write.
type failover struct {
	FailoverOptions
	state failoverState
	end   int64  // ms since the epoch; 0: never
	stop  func() // ends the timer of end; nil: there is none
	timer int    // number of the timer, so that an earlier one has no effect
}

// FailoverOptions are the options of FAILOVER.
type FailoverOptions struct {
	Any     bool   // any replica may take over
	Host    string // of the replica that takes over, as INFO shows it
	Port    int64
	Force   bool  // the replica takes over after the time-out even if it lacks something
	Timeout int64 // ms that the replica may take to get everything; 0: no limit
}

// Failover runs FAILOVER: it begins to hand the part of master over to a replica.
func (st *State) Failover(o FailoverOptions) reply.Value {
	switch {
	case st.failover.state != noFailover:
		return reply.Err("ERR FAILOVER already in progress.")
	case st.isReplica():
		return reply.Err("ERR FAILOVER is not valid when server is a replica.")
	case len(st.replicas) == 0:
		return reply.Err("ERR FAILOVER requires connected replicas.")
	case o.Force && (o.Timeout == 0 || o.Any):
		return reply.Err("ERR FAILOVER with force option requires both a timeout and target HOST and IP.")
	case !st.CanFollow():
		return reply.Err("ERR this engine cannot connect to a master")
	}
	if !o.Any {
		switch r := st.find(o.Host, o.Port); {
		case r == nil:
			return reply.Err("ERR FAILOVER target HOST and PORT is not a replica.")
		case r.phase != online:
			return reply.Err("ERR FAILOVER target replica is not online.")
		}
	}
	st.failover = failover{FailoverOptions: o, state: failoverWaits, timer: st.failover.timer + 1}
	st.srv.Log.Info("FAILOVER requested to " + st.failover.target() + ".")
	if o.Timeout > 0 {
		n, d := st.failover.timer, min(o.Timeout, math.MaxInt64/int64(time.Millisecond))
		st.failover.end = st.srv.Store.Now() + d
		st.failover.stop = st.env.After(time.Duration(d)*time.Millisecond, func() {
			if st.failover.timer == n {
				st.failoverTimeout()
			}
		})
	}
	st.srv.PauseClients(server.PauseForFailover, server.PauseWrite, math.MaxInt64)
	st.checkFailover()
	return reply.OK()
}

// AbortFailover runs FAILOVER ABORT.
func (st *State) AbortFailover() reply.Value {
	if st.failover.state == noFailover {
		return reply.Err("ERR No failover in progress.")
	}
	st.abortFailover("Failover manually aborted")
	return reply.OK()
}

// FailingOver reports whether a failover is in progress.
func (st *State) FailingOver() bool { return st.failover.state != noFailover }

func (f *failover) target() string {
	if f.Any {
		return "any replica"
	}
	return f.Host + ":" + strconv.FormatInt(f.Port, 10)
}

// find returns the replica with an address.
func (st *State) find(host string, port int64) *replica {
	for _, r := range st.replicas {
		if r.host() != "" && strings.EqualFold(r.host(), host) && int64(r.port) == port {
			return r
		}
	}
	return nil
}

// checkFailover continues a failover soon if the replica may have everything now. The running
// command ends before that: it belongs to a client of the master.
func (st *State) checkFailover() {
	if st.failover.state == failoverWaits && st.env.Soon != nil {
		st.env.Soon(st.handOver)
	}
}

// handOver makes this server a replica of the replica that takes over, if that has everything.
func (st *State) handOver() {
	f := &st.failover
	if f.state != failoverWaits {
		return
	}
	st.srv.FlushEffects()
	for _, r := range st.replicas {
		if r.phase != online || r.ackOffset != st.offset || r.host() == "" || !f.Any && r != st.find(f.Host, f.Port) {
			continue
		}
		f.Any, f.Host, f.Port = false, r.host(), int64(r.port)
		st.srv.Log.Info("Failover target " + f.target() + " is synced, failing over.")
		st.followTarget()
		return
	}
}

// failoverTimeout ends the wait for a replica that lacks something.
func (st *State) failoverTimeout() {
	f := &st.failover
	if f.state != failoverWaits {
		return
	}
	if !f.Force {
		st.abortFailover("Replica never caught up before timeout")
		return
	}
	st.srv.Log.Info("FAILOVER to " + f.target() + " time out exceeded, failing over.")
	st.followTarget()
}

func (st *State) followTarget() {
	st.failover.state = failoverInProgress
	st.Follow(st.failover.Host, int(st.failover.Port))
}

// abortFailover ends a failover. This server is a master again.
func (st *State) abortFailover(reason string) {
	f := &st.failover
	if f.state == noFailover {
		return
	}
	st.srv.Log.Info("FAILOVER to " + f.target() + " aborted: " + reason)
	if f.state == failoverInProgress {
		st.Lead()
	}
	st.endFailover()
}

// endFailover lets clients go on.
func (st *State) endFailover() {
	if st.failover.state == noFailover {
		return
	}
	if st.failover.stop != nil {
		st.failover.stop()
	}
	st.failover = failover{timer: st.failover.timer + 1}
	st.srv.UnpauseClients(server.PauseForFailover)
}

// takeFailover runs PSYNC with FAILOVER, by which the master of this server hands its part over. If
// stop is false, PSYNC goes on.
func (st *State) takeFailover(c *server.Ctx) (v reply.Value, stop bool) {
	st.srv.Log.Warn("Failover request received for replid " + c.Args[1] + ".")
	switch {
	case !st.isReplica():
		return reply.Err("ERR PSYNC FAILOVER can't be sent to a master."), true
	case !strings.EqualFold(c.Args[1], st.id):
		return reply.Err("ERR PSYNC FAILOVER replid must match my replid."), true
	}
	st.Lead()
	st.srv.Log.Info("MASTER MODE enabled (failover request from '" + st.srv.Describe(c.Session) + "')")
	return v, false
}

// Rejected implements [link.Host]: the replica that was to take over does not.
func (f *follower) Rejected() {
	_ = f.do(func() error {
		f.st.abortFailover("Failover target rejected psync request")
		return nil
	})
}
