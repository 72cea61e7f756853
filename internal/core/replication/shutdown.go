package replication

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// shutdown is a shutdown that waits until the replicas have everything. While it lasts, clients
// cannot write.
type shutdown struct {
	at      int64                   // when it stops waiting, ms since the epoch; 0: none waits
	stop    func()                  // ends the timer
	timer   int                     // number of the timer, so that an earlier one has no effect
	end     func() error            // ends the server, or returns why it must go on
	clients []*server.BlockedClient // that have sent SHUTDOWN
}

//lint:ignore ST1005 the words of Redis
var errShutdown = errors.New("ERR Errors trying to SHUTDOWN. Check logs.")

// Shutdown runs SHUTDOWN, except ABORT. It calls end when the replicas have everything, after
// shutdown-timeout, or immediately if now is set or the loop must not wait. There is no reply.
// If end returns an error, the server goes on.
func (st *State) Shutdown(c *server.Ctx, now bool, end func() error) reply.Value {
	sd, log := &st.shutdown, st.srv.Log
	if sd.at == 0 {
		log.Warn("User requested shutdown...")
		sd.end = end
		seconds := st.number("shutdown-timeout")
		if now || seconds == 0 || st.inSync() || st.srv.Run.Busy != "" || st.srv.Loading.Active || st.env.After == nil {
			if err := st.finishShutdown(); err != nil {
				return reply.Err(err.Error())
			}
			if isConnection(c.Session) {
				return c.Block(0, reply.None(), server.BlockOptions{})
			}
			c.Session.LeaveAfterReply()
			return reply.None()
		}
		d := time.Duration(seconds) * time.Second
		sd.at = st.srv.Store.Now() + d.Milliseconds()
		st.askAcks()
		st.srv.PauseClients(server.PauseForShutdown, server.PauseWrite, math.MaxInt64)
		log.Info("Waiting for replicas before shutting down.")
		sd.timer++
		n := sd.timer
		sd.stop = st.env.After(d, func() {
			if sd.at != 0 && sd.timer == n {
				_ = st.finishShutdown() // the clients have the error
			}
		})
	}
	v := c.Block(0, reply.None(), server.BlockOptions{Late: reply.Err(errShutdown.Error())})
	if w := c.Server.Blocked; w != nil {
		sd.clients = append(sd.clients, w)
	}
	return v
}

// ShutdownAt implements [server.Replication].
func (st *State) ShutdownAt() int64 { return st.shutdown.at }

// AbortShutdown runs SHUTDOWN ABORT: the server goes on. It returns false if no shutdown waits.
func (st *State) AbortShutdown() bool {
	if st.shutdown.at == 0 {
		return false
	}
	st.cancelShutdown()
	st.srv.Log.Info("Shutdown manually aborted.")
	return true
}

// inSync reports whether all replicas have acknowledged everything.
func (st *State) inSync() bool {
	for _, r := range st.replicas {
		if r.ackOffset != st.offset {
			return false
		}
	}
	return true
}

// checkShutdown ends a shutdown soon if the replicas may have everything now.
func (st *State) checkShutdown() {
	if st.shutdown.at == 0 || !st.inSync() {
		return
	}
	st.env.Soon(func() {
		st.srv.FlushEffects()
		if st.shutdown.at != 0 && st.inSync() {
			_ = st.finishShutdown() // the clients have the error
		}
	})
}

// finishShutdown ends the server. Nobody writes after that. After an error the server goes on.
func (st *State) finishShutdown() error {
	st.logLagging()
	if err := st.shutdown.end(); err != nil {
		st.cancelShutdown()
		return err
	}
	st.ended = true
	st.srv.PauseClients(server.PauseForShutdown, server.PauseWrite, math.MaxInt64)
	for _, w := range st.forgetShutdown() {
		if !isConnection(w.Sess) {
			w.Sess.LeaveAfterReply()
			st.srv.Unblock(w, reply.None())
		}
	}
	return nil
}

// isConnection reports whether the program around the engine closes the connection of a session. It
// closes its listeners first: a client whose SHUTDOWN has ended must find nobody at the address.
func isConnection(s *server.Session) bool { return s.Kill != nil && !s.SeparatePushes }

// logLagging logs which replicas lack something.
func (st *State) logLagging() {
	lagging := 0
	for _, r := range st.replicas {
		if r.ackOffset == st.offset {
			continue
		}
		lagging++
		lag := int64(0)
		if r.phase == online {
			lag = st.seconds() - r.ackTime
		}
		st.srv.Log.Warn(fmt.Sprintf("Lagging replica %s reported offset %d behind master, lag=%d, state=%s.",
			r.name(), st.offset-r.ackOffset, lag, stateNames[r.phase]))
	}
	if n := len(st.replicas); n > 0 {
		st.srv.Log.Info(fmt.Sprintf("%d of %d replicas are in sync when shutting down.", n-lagging, n))
	}
}

// cancelShutdown lets the server go on.
func (st *State) cancelShutdown() {
	for _, w := range st.forgetShutdown() {
		st.srv.Unblock(w, reply.Err(errShutdown.Error()))
	}
	st.srv.UnpauseClients(server.PauseForShutdown)
}

// forgetShutdown ends the wait and returns the clients that have sent SHUTDOWN.
func (st *State) forgetShutdown() []*server.BlockedClient {
	sd := &st.shutdown
	if sd.stop != nil {
		sd.stop()
	}
	clients := sd.clients
	*sd = shutdown{timer: sd.timer + 1}
	return clients
}
