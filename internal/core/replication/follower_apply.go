package replication

import (
	"net"
	"time"

	"github.com/redmoon-lua/redmoon/internal/core/replication/link"
)

// Apply implements [link.Host]. It waits while a pause holds a command of the master.
func (f *follower) Apply(b *link.Batch) (offset int64, err error) {
	p := progress{Batch: b}
	count := func() { f.st.counts.BytesIn += int64(len(b.Raw)) }
	for {
		var wait <-chan struct{}
		err = f.do(func() (err error) {
			count()
			count = func() {}
			if f.session == nil {
				return net.ErrClosed // its session was killed
			}
			wait, err = f.run(&p)
			offset = f.st.offset
			f.noteFile()
			return err
		})
		if wait == nil {
			return offset, err
		}
		<-wait
	}
}

// progress is how far a batch has been run.
type progress struct {
	*link.Batch
	next int // the command that follows
	done int // bytes that have been run; those of a transaction when it has ended
	fed  int // bytes that are in the stream of this server
}

// run runs a batch of the master and puts what has been run into the stream of this server. If wait
// is not nil, it must be called again when wait is closed.
func (f *follower) run(p *progress) (wait <-chan struct{}, err error) {
	st, sess := f.st, f.session
	st.srv.Store.SetKeepExpired(true)
	defer st.srv.Store.SetKeepExpired(false)
	feed := func() {
		if p.fed < p.done {
			st.feedRaw(append(f.held, p.Raw[p.fed:p.done]...))
			f.held, p.fed = nil, p.done
		}
	}
	defer func() {
		if feed(); wait == nil {
			f.held, f.unread = append(f.held, p.Raw[p.done:]...), 0
		} else {
			f.unread = len(p.Raw) - p.fed
		}
	}()
	for ; p.next < len(p.Commands); p.next++ {
		args := p.Commands[p.next]
		if len(args) > 0 {
			if wait := f.paused(args); wait != nil {
				return wait, nil
			}
			f.last = noCommand
			if spec := st.srv.Table.Resolve(args); spec != nil {
				f.last = spec.FullName()
			}
			if v := st.env.Execute(sess, args); v.IsError() || f.last == "exec" {
				feed() // the log shows the end of the backlog
				f.logErrors(v)
			}
		}
		if !sess.Queueing {
			p.done = p.Ends[p.next]
		}
		if f.stopped || sess.CloseAfter {
			return nil, errStopped
		}
	}
	return nil, nil
}

// longestHold is the longest time until the end of a pause is looked for. A command, too, ends it.
const longestHold = time.Hour

// paused returns a channel that is closed when a pause that holds a command has ended, or nil.
func (f *follower) paused(args []string) <-chan struct{} {
	st, over := f.st, make(chan struct{})
	until, held := st.srv.HoldsMaster(f.session, args, func() { f.wake(over) })
	if !held {
		return nil
	}
	f.waits = over
	if wait := until - st.srv.Store.Now(); wait < int64(longestHold/time.Millisecond) {
		st.env.After(time.Duration(wait)*time.Millisecond, st.srv.ResumePostponed)
	}
	return over
}

// wake ends the wait for the end of a pause: over, or the present one if over is nil.
func (f *follower) wake(over chan struct{}) {
	if f.waits != nil && (over == nil || f.waits == over) {
		close(f.waits)
		f.waits = nil
	}
}
