package replication

import (
	"errors"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redmoon-lua/redmoon/internal/core/replication/link"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// follower follows one master. The loop owns it; the methods of [link.Host] are called by the
// goroutine of its link and enter the loop themselves.
type follower struct {
	st   *State
	host string
	port int
	link *link.Link

	state   link.State
	session *server.Session // runs the master's commands; nil: they do not arrive
	stopped bool            // the server follows another master, or none
	last    string          // name of the last command of the master
	held    []byte          // of the stream: an open MULTI and what follows it
	unread  int             // bytes of the stream that a pause holds

	mark fileMark // what the append-only file does not have on the disk yet

	waits chan struct{} // closed when the goroutine of the link must look for the end of a pause; may be nil

	sync   link.Sync    // the copy that is being received
	got    atomic.Int64 // bytes of it
	gotAt  atomic.Int64 // when the last of them came, s since the epoch
	staged *staging     // the copy that is being loaded
}

// errStopped ends a link whose follower is no longer the server's.
var errStopped = errors.New("the server no longer follows this master")

// Master returns the address of the master; ok is false if the server is a master.
func (st *State) Master() (host string, port int, ok bool) {
	if st.master == nil {
		return "", 0, false
	}
	return st.master.host, st.master.port, true
}

// Follow makes the server a replica of the server at an address. It begins with what the server
// has, if that is part of the history of the master.
func (st *State) Follow(host string, port int) {
	wasMaster := st.master == nil
	if wasMaster {
		st.resumable, st.resumeDB = true, 0
		st.endCollect()
		st.open()
	} else {
		st.master.stop()
	}
	st.start(host, port, wasMaster)
}

// FollowAtStart makes a server that has just started a replica if the parameter replicaof says so.
func (st *State) FollowAtStart() error {
	value := st.srv.Config.Value("replicaof")
	if value == "" {
		return nil
	}
	host, port, _ := strings.Cut(value, " ")
	n, err := strconv.Atoi(port)
	switch {
	case err != nil || n < 0 || n > 65535:
		return errors.New("redmoon: replicaof: Invalid master port")
	case st.srv.Cluster != nil:
		return errors.New("redmoon: replicaof directive not allowed in cluster mode")
	case !st.CanFollow():
		return errors.New("redmoon: replicaof: this engine cannot connect to a master")
	}
	st.start(host, n, false)
	return nil
}

func (st *State) start(host string, port int, wasMaster bool) {
	f := &follower{st: st, host: host, port: port}
	st.master = f
	if st.downSince == 0 {
		st.downSince = st.seconds()
	}
	st.changed()
	if wasMaster {
		st.logOwnHistory()
	}
	st.srv.DisconnectBlocked()
	for _, w := range st.waiters {
		if !w.ended() {
			st.srv.Disconnect(w.client)
		}
	}
	st.waiters = nil
	f.link = link.Start(link.Options{Host: f, Clock: st.env.Clock, Log: st.srv.Log, Dial: st.env.Dial})
}

func (st *State) logOwnHistory() {
	st.srv.Log.Info("Before turning into a replica, using my own master parameters to synthesize a cached master: " +
		"I may be able to synchronize with the new master with just a partial transfer.")
}

// Lead makes the server a master. Replicas of its former master can continue here.
func (st *State) Lead() {
	if st.master == nil {
		return
	}
	st.master.stop()
	st.master = nil
	st.resumable, st.downSince = false, 0
	st.aloneSince = st.seconds()
	st.shift()
	st.dropReplicas()
	st.changed()
	if st.backlog != nil {
		st.collect()
	}
	st.srv.Loading.CopyMissing = false
	if p := st.srv.Persistence; p != nil {
		p.Resume()
	}
}

// Close ends the link to the master. Caller is the loop, which runs nothing more. wait returns when
// the link's goroutine has ended.
func (st *State) Close() (wait func()) {
	f := st.master
	if f == nil {
		return func() {}
	}
	f.stopped = true
	f.link.Stop()
	f.wake(nil)
	return func() {
		<-f.link.Done()
		if f.staged != nil {
			f.staged.abort()
		}
	}
}

// changed passes the master to the server and to the parameter replicaof.
func (st *State) changed() {
	f, value := server.Following{}, ""
	if m := st.master; m != nil {
		f, value = server.Following{Active: true, Up: m.session != nil}, m.host+" "+strconv.Itoa(m.port)
	}
	st.srv.SetFollowing(f)
	if cfg := st.srv.Config; cfg.Value("replicaof") != value {
		_ = cfg.Fix("replicaof", value)
		if cfg.Apply != nil {
			_ = cfg.Apply("replicaof", cfg.Value) // the program logs what fails
		}
	}
}

// seconds returns the time in seconds since the epoch.
func (st *State) seconds() int64 { return st.srv.Store.Now() / 1000 }

func (f *follower) address() string { return f.host + ":" + strconv.Itoa(f.port) }

// stop ends the link.
func (f *follower) stop() {
	f.stopped = true
	f.link.Stop()
	f.wake(nil)
	f.endSession(true)
	if f.staged != nil {
		f.staged.abort()
		f.staged = nil
	}
}

// endSession ends the session of the master. again says that the stream can go on later.
func (f *follower) endSession(again bool) {
	sess := f.session
	if sess == nil {
		return
	}
	f.session, f.held = nil, nil
	f.st.resumable, f.st.resumeDB = again, sess.DB.ID()
	f.st.downSince = f.st.seconds()
	f.st.srv.Log.Warn("Connection with master lost.")
	if again {
		f.st.srv.Log.Info("Caching the disconnected master state.")
	}
	sess.Kill = nil
	f.st.srv.CloseSession(sess)
}

// begin makes the session that runs the master's commands.
func (f *follower) begin(db int) {
	st := f.st
	sess := st.srv.NewSession(f.address(), "")
	st.srv.Stats.Connections-- // nobody has connected here
	sess.MustObey, sess.Master, sess.User, sess.Authenticated = true, true, nil, true
	if db >= 0 && db < st.srv.Store.Databases() {
		sess.DB = st.srv.Store.DB(db)
	}
	sess.Kill = func(server.Ending) {
		f.link.Hang()
		f.wake(nil)
	}
	sess.Receive = func(reply.Value, int, int64) int64 { return 0 } // as the replies, it goes nowhere
	f.session, f.last, f.held = sess, noCommand, nil
	st.downSince = 0
	st.changed()
}

// do calls fn on the loop, unless the follower has been stopped.
func (f *follower) do(fn func() error) error {
	err := errStopped
	if closed := f.st.env.Do(func() {
		if !f.stopped {
			err = fn()
		}
	}); closed != nil {
		return closed
	}
	return err
}

// Hello implements [link.Host].
func (f *follower) Hello() (h link.Hello, err error) {
	err = f.do(func() error {
		c := f.st.srv.Config
		h = link.Hello{
			Host: f.host, Port: f.port, User: c.Value("masteruser"), Password: c.Value("masterauth"),
			ListeningPort: int(f.st.announcedPort()), AnnounceIP: c.Value("replica-announce-ip"),
			Timeout: time.Duration(f.st.number("repl-timeout")) * time.Second,
			TLS:     f.st.enabled("tls-replication"),
		}
		h.Failover = f.st.failover.state == failoverInProgress
		if f.st.resumable {
			h.Resume, h.ReplID, h.Offset = true, f.st.id, f.st.offset+1
		}
		return nil
	})
	return h, err
}

// announcedPort returns the port of this server that the master shows.
func (st *State) announcedPort() int64 {
	if n := st.number("replica-announce-port"); n != 0 {
		return n
	}
	if n := st.number("tls-port"); n != 0 && st.enabled("tls-replication") {
		return n
	}
	return st.number("port")
}

// Continue implements [link.Host].
func (f *follower) Continue(id string) error {
	return f.do(func() error {
		st := f.st
		if id != "" {
			st.second, st.secondUntil = st.id, st.offset+1
			st.id = id
			st.dropReplicas()
		}
		st.open()
		f.begin(st.resumeDB)
		st.endFailover()
		return nil
	})
}

// FullSync implements [link.Host].
func (f *follower) FullSync(s link.Sync) error {
	return f.do(func() error {
		f.sync = s
		f.got.Store(0)
		f.gotAt.Store(f.st.seconds())
		f.st.endFailover()
		return nil
	})
}

// Lost implements [link.Host].
func (f *follower) Lost(err error, again bool) {
	_ = f.do(func() error {
		f.logViolation(err)
		if f.staged != nil {
			f.staged.abort()
			f.staged = nil
		}
		f.endSession(again)
		f.st.changed()
		return nil
	})
}

// Changed implements [link.Host].
func (f *follower) Changed(s link.State) {
	_ = f.do(func() error {
		if f.state = s; s == link.Streaming && f.session == nil {
			return errStopped
		}
		return nil
	})
}
