package engine

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"

	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

type requestKind uint8

const (
	commandRequest requestKind = iota // args
	batchRequest                      // batch
	resumeRequest                     // batch with a command that waits or has waited
	funcRequest                       // fn
	viewRequest                       // fn, which may look at the keyspace
	promptRequest                     // fn, which may be called while a script is busy
	turnRequest                       // turn
	stopRequest                       // Close
)

// request is one message to the loop and the place for its reply. Each engine has a pool of them.
//
// The caller fills it in, sends it and waits on done; between the two it belongs to the
// loop, except its atomic fields.
type request struct {
	kind        requestKind
	cancellable bool // the call's context can end
	state       atomic.Uint32
	sess        *server.Session
	args        []string // reused between requests
	reply       reply.Value
	left        *ScriptError // the loop's: what the script of reply has left behind, or nil
	err         error
	done        chan struct{} // holds one: the loop never waits for a caller
	call        *sessionCall  // the call of a turn to which this request belongs; nil: the caller waits on done
	script      *Script       // the script whose SHA1 args contain, or nil
	numKeys     int           // of script
	batch       *enginedoor.Batch
	fn          func()
	turn        *turn
	suspended   *suspended               // the loop's: the command waits
	debug       func(*DebugRun) Debugger // of DebugScript and DebugFunction, or nil
	debugged    *DebugRun                // of the load and the call of one DebugFunction, or nil
	abandoned   atomic.Bool              // the call's context has ended
	stop        server.StopSwitch        // stops the script of the call
}

// The states of a request.
const (
	pending   uint32 = iota // its turn has not come
	started                 // its turn has come
	withdrawn               // the caller has given up; the loop drops it
)

// end returns r to its caller.
func (r *request) end() {
	if r.call != nil {
		r.call.end()
		return
	}
	r.done <- struct{}{}
}

// roundTrip sends r and waits until it has been run. After nil the caller owns r and must free it;
// after an error the caller must not touch r. If ctx ends while r is queued or in a blocking
// command, r is withdrawn. Otherwise roundTrip waits for the end, so the caller always knows
// whether the command ran.
func (e *Engine) roundTrip(ctx context.Context, r *request) error {
	err := e.sendCounted(ctx, r)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errWithdrawn):
		return ctx.Err() // the loop frees r
	case errors.Is(err, errInterrupted):
		err = ctx.Err()
	}
	e.freeRequest(r)
	return err
}

// sendCounted is send. Close waits for it, also if a method of ctx panics.
func (e *Engine) sendCounted(ctx context.Context, r *request) error {
	e.inflight.Add(1)
	defer e.inflight.Add(-1)
	return e.send(ctx, r)
}

func (e *Engine) send(ctx context.Context, r *request) error {
	switch {
	case ctx == nil:
		return errNoContext
	case e.closed.Load():
		return ErrClosed
	case e.reentrant():
		return ErrReentrant
	}
	cancel := ctx.Done()
	if cancel == nil {
		e.requests <- r
		<-r.done
		return r.err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	r.cancellable = true
	select {
	case e.requests <- r:
	case <-cancel:
		return ctx.Err()
	}
	select {
	case <-r.done:
		return r.err
	case <-cancel:
	}
	if r.state.CompareAndSwap(pending, withdrawn) {
		return errWithdrawn
	}
	e.interrupt(r)
	_ = e.onLoop(func() { e.withdraw(r) }) // a closed engine answers r anyway
	<-r.done
	return r.err
}

var (
	errNoContext   = errors.New("redmoon: the context is nil")
	errWithdrawn   = errors.New("redmoon: withdrawn before its turn")
	errInterrupted = errors.New("redmoon: script stopped before it wrote, or wait given up")
)

// finish runs r and returns its reply as (value, error).
func (e *Engine) finish(ctx context.Context, r *request) (Value, error) {
	if err := e.roundTrip(ctx, r); err != nil {
		return Value{}, err
	}
	v, left := r.reply, r.left
	e.freeRequest(r)
	switch {
	case left != nil:
		return v, left
	case v.IsError():
		return v, v.Err()
	}
	return v, nil
}

func (e *Engine) do(ctx context.Context, sess *server.Session, args []any) (Value, error) {
	r := e.newRequest()
	var err error
	if r.args, err = appendArgs(r.args, args); err != nil {
		e.freeRequest(r)
		return Value{}, err
	}
	r.sess = sess
	return e.finish(ctx, r)
}

func (e *Engine) doStrings(ctx context.Context, sess *server.Session, args []string) (Value, error) {
	r := e.newRequest()
	r.args = append(r.args, args...)
	r.sess = sess
	return e.finish(ctx, r)
}

func (e *Engine) eval(ctx context.Context, sess *server.Session, name, script string, keys []string, args []any) (Value, error) {
	r := e.newRequest()
	r.args = append(r.args, name, script, strconv.Itoa(len(keys)))
	r.args = append(r.args, keys...)
	var err error
	if r.args, err = appendArgs(r.args, args); err != nil {
		e.freeRequest(r)
		return Value{}, err
	}
	r.sess = sess
	return e.finish(ctx, r)
}

// runScript sends an EVALSHA with its script; see programOf.
func (e *Engine) runScript(ctx context.Context, sess *server.Session, s *Script, keys, args []string) (Value, error) {
	r := e.newRequest()
	r.args = append(r.args, shaCommand(s), s.sha, strconv.Itoa(len(keys)))
	r.args = append(r.args, keys...)
	r.args = append(r.args, args...)
	r.sess, r.script, r.numKeys = sess, s, len(keys)
	return e.finish(ctx, r)
}

// shaCommand returns the command that runs s by its SHA1, evalCommand the one that runs it by its
// source.
func shaCommand(s *Script) string {
	if s.readOnly {
		return "EVALSHA_RO"
	}
	return "EVALSHA"
}

func evalCommand(s *Script) string {
	if s.readOnly {
		return "EVAL_RO"
	}
	return "EVAL"
}
