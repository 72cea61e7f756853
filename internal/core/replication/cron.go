package replication

import (
	"fmt"
	"slices"
	"time"
)

// cronPeriod is the time between two runs of cron.
const cronPeriod = time.Second

// tick schedules cron, unless it is scheduled.
func (st *State) tick() {
	if st.ticking || st.env.After == nil {
		return
	}
	st.ticking = true
	st.env.After(cronPeriod, st.cron)
}

// cron looks after the replicas once a second, as long as there is a backlog.
func (st *State) cron() {
	st.ticking = false
	if st.backlog == nil && len(st.replicas) == 0 {
		return
	}
	st.tick()
	st.dropTimedOut()
	if !st.isReplica() {
		st.ping()
		if st.ackWanted {
			st.askAcks()
		}
	}
	st.checkFailover()
	for _, r := range st.replicas {
		if r.phase == waitsStart || r.phase == waitsEnd && st.copying != nil && st.copying.mark == "" {
			if r.out.inMemory() < 64 { // a replica that does not read must not pile them up
				r.out.add(part{bytes: []byte("\n")})
			}
		}
	}
	if st.backlog != nil {
		st.checkOutput()
		st.freeAfterTTL()
	}
	st.startWaited()
	st.updateGood()
	st.loops++
}

// ping sends PING to the replicas every repl-ping-replica-period, so that they see that the master
// is alive. It does not while a failover waits for a short time only: the stream must not grow.
func (st *State) ping() {
	if st.failover.end != 0 {
		return
	}
	if len(st.replicas) > 0 && st.loops%max(1, st.number("repl-ping-replica-period")) == 0 {
		st.feedRaw([]byte("*1\r\n$4\r\nping\r\n"))
	}
}

// dropTimedOut ends the replicas that are silent for longer than repl-timeout.
func (st *State) dropTimedOut() {
	now, limit := st.seconds(), st.number("repl-timeout")
	for _, r := range slices.Clone(st.replicas) {
		if n := r.out.acted.Load(); n != r.acted || !r.out.busy.Load() {
			r.acted, r.stuck = n, now
		}
		switch {
		case r.phase == online && !r.preSync && now-r.ackTime > limit:
			st.srv.Log.Warn("Disconnecting timedout replica (streaming sync): " + r.name())
		case r.phase != online && now-r.stuck > limit:
			st.srv.Log.Warn("Disconnecting timedout replica (full sync): " + r.name())
		default:
			continue
		}
		st.drop(r)
	}
}

// freeAfterTTL frees the backlog of a master that has had no replica for repl-backlog-ttl.
func (st *State) freeAfterTTL() {
	ttl := st.number("repl-backlog-ttl")
	if len(st.replicas) > 0 || ttl == 0 || st.isReplica() || st.seconds()-st.aloneSince <= ttl {
		return
	}
	st.free()
	st.srv.Log.Info(fmt.Sprintf("Replication backlog freed after %d seconds without connected replicas.", ttl))
}
