package studio

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/quoting"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/internal/tools/fixture"
)

// run is a script that has begun. It is used by the holder of Session.turn only.
type run struct {
	d      *debugger.Session
	before *engine.Snapshot // of Session.e
	shadow *shadow          // nil if the script does not stop
	output []output
	cut    int // number of lines of output that were dropped
	index  int // of the last stop
	ended  bool
}

// clock stands still while a script runs, so that times to live do not change from step to step.
type clock struct{ now atomic.Int64 } // microseconds since the epoch

func (c *clock) set()           { c.now.Store(time.Now().UnixMicro()) }
func (c *clock) Now() time.Time { return time.UnixMicro(c.now.Load()) }

// AfterFunc never calls f: what a timer of the engine does is done when a key is next used.
func (c *clock) AfterFunc(time.Duration, func()) (stop func()) { return func() {} }
func (c *clock) Sleep(time.Duration)                           {}

// begin runs the script of a document to its end, or to its first stop.
func (s *Session) begin(ctx context.Context, r request) (*State, error) {
	keys, ok := quoting.Words(r.Keys)
	if !ok {
		return nil, errors.New("keys: quotes are not balanced")
	}
	args, ok := quoting.Words(r.Args)
	if !ok {
		return nil, errors.New("arguments: quotes are not balanced")
	}
	if len(keys) > maxWords || len(args) > maxWords {
		return nil, fmt.Errorf("there are more than %d keys or arguments", maxWords)
	}
	s.endRun()
	if err := s.prepare(ctx, r); err != nil {
		return nil, err
	}
	if err := s.start(ctx, r, keys, args); err != nil {
		s.endRun()
		return nil, err
	}
	return s.wait(ctx)
}

// start begins to run or debug the script of r.
func (s *Session) start(ctx context.Context, r request, keys, args []string) error {
	one := &run{}
	s.run = one
	o := debugger.Options{Sync: true}
	if r.Op == "debug" {
		o.StopOnEntry = true
		o.Breakpoints = breakpointsAt(r.Breakpoints)
		o.Stops.Errors = debugger.ErrorsUncaught
		shadow, err := newShadow(s.e)
		if err != nil {
			return err
		}
		one.shadow = shadow
	}
	var err error
	if one.before, err = s.e.Snapshot(); err != nil {
		return err
	}
	target, err := s.target(ctx, r, keys, args)
	if err != nil {
		return err
	}
	// The script outlives the request that begins it.
	if one.d, err = debugger.Start(context.WithoutCancel(ctx), s.e, target, o); err != nil {
		return err
	}
	return s.setActive(one.d)
}

// refused are the commands that reach files, other servers or limits, or let others wait. A case
// may come from a link of somebody else.
var refused = []string{
	"-acl", "-bgrewriteaof", "-bgsave", "-client|pause", "-config", "-debug", "-failover", "-migrate", "-module", "-psync", "-replicaof",
	"-save", "-shutdown", "-slaveof", "-sync",
}

// prepare makes the data with which a run begins.
func (s *Session) prepare(ctx context.Context, r request) error {
	s.clock.set()
	if s.e != nil && r.Keep && r.Server == s.server {
		return nil
	}
	if s.e != nil {
		s.e.Close()
		s.e = nil
	}
	e, err := engine.New(engine.Options{
		Server: r.Server,
		Clock:  &s.clock, ScriptSteps: s.o.Steps, ScriptMemory: s.o.Memory,
		Config: map[string]string{"maxmemory": "256mb", "proto-max-bulk-len": "33554432"},
	})
	if err != nil {
		return err
	}
	if _, err := e.DoStrings(ctx, append([]string{"ACL", "SETUSER", "default"}, refused...)...); err != nil {
		e.Close()
		return err
	}
	if err := loadFixture(ctx, e, r.Fixture); err != nil {
		e.Close()
		return err
	}
	s.e, s.server = e, r.Server
	return nil
}

// endRun ends the last run.
func (s *Session) endRun() {
	_ = s.setActive(nil)
	if s.run == nil {
		return
	}
	if s.run.d != nil {
		s.run.d.Close()
	}
	s.run.shadow.close()
	s.run = nil
}

// loadFixture runs the commands of a fixture.
func loadFixture(ctx context.Context, e *engine.Engine, text string) error {
	name := "fixture"
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		name += ".json"
	}
	commands, err := fixture.Commands(name, []byte(text))
	if err != nil {
		return fmt.Errorf("fixture: %w", err)
	}
	sess, err := e.NewSession()
	if err != nil {
		return err
	}
	defer sess.Close()
	for _, c := range commands {
		b := enginedoor.Batch{Commands: [][]string{c}, StopAtBlock: true}
		err := enginedoor.Of(sess).RunBatch(ctx, &b)
		switch {
		case err != nil:
		case b.Blocked: // there is nobody who would end the wait
			err = errors.New("the command waits, and so does the run")
		case len(b.Replies) > 0 && b.Replies[0].IsError():
			err = b.Replies[0].Err()
		}
		if err != nil {
			return fmt.Errorf("fixture: %.80q: %w", c, err)
		}
	}
	return nil
}

func breakpointsAt(lines []int) (list []debugger.Breakpoint) {
	for _, line := range lines {
		list = append(list, debugger.Breakpoint{Line: line})
	}
	return list
}

// step resumes the script that is being debugged.
func (s *Session) step(ctx context.Context, how string) (*State, error) {
	if s.run == nil || s.run.ended {
		return nil, errNoRun
	}
	d := s.run.d
	move, ok := map[string]func() error{
		"in": d.StepIn, "over": d.StepOver, "out": d.StepOut, "continue": d.Continue,
		"back": d.StepBack, "reverse": d.ContinueBack,
	}[how]
	if !ok {
		return nil, errUnknown
	}
	if err := move(); errors.Is(err, debugger.ErrAtStart) {
		return nil, errors.New("this is the first line")
	} else if err != nil {
		return nil, err
	}
	return s.wait(ctx)
}

// wait returns when the script stops or ends.
func (s *Session) wait(ctx context.Context) (*State, error) {
	stopAtEnd := context.AfterFunc(ctx, s.run.d.Abort)
	defer stopAtEnd()
	for ev := range s.run.d.Events() {
		switch ev := ev.(type) {
		case debugger.Output:
			s.run.add(ev)
		case debugger.Stopped:
			if ev.Reason == debugger.ReasonBack {
				s.run.forget(ev)
			}
			s.run.index = ev.Index
			return s.stoppedState(ev)
		case debugger.Ended:
			s.run.ended = true
			_ = s.setActive(nil)
			return s.endedState(ev)
		}
	}
	return nil, errClosed
}

// add keeps a line of output.
func (r *run) add(o debugger.Output) {
	if len(r.output) == maxOutput {
		r.cut++
		return
	}
	kind := []string{"log", "print", "logpoint"}[o.Kind]
	if o.Kind == debugger.OutputLog {
		kind = []string{"debug", "verbose", "notice", "warning"}[min(max(o.Level, 0), 3)]
	}
	r.output = append(r.output, output{Kind: kind, Line: o.Line, Text: cut(o.Text), stop: r.index})
}

// forget drops the output that was made after the place to which the script has gone back: a replay
// does not repeat output.
func (r *run) forget(to debugger.Stopped) {
	r.output = slices.DeleteFunc(r.output, func(o output) bool {
		return o.stop >= to.Index || o.stop == to.Index-1 && o.Line == to.Line
	})
}

// setBreakpoints replaces the breakpoints, and returns where they are.
func (s *Session) setBreakpoints(source string, lines []int) any {
	var list []debugger.Breakpoint
	if s.run != nil && !s.run.ended {
		list = s.run.d.SetBreakpoints(breakpointsAt(lines))
	} else {
		list = debugger.ResolveBreakpoints(source, breakpointsAt(lines))
	}
	var placed struct {
		Breakpoints []int `json:"breakpoints"`
	}
	placed.Breakpoints = []int{}
	for _, b := range list {
		if b.Problem == "" && !slices.Contains(placed.Breakpoints, b.Line) {
			placed.Breakpoints = append(placed.Breakpoints, b.Line)
		}
	}
	return placed
}

// eval evaluates code at a stop.
func (s *Session) eval(frame int, code string) (any, error) {
	if s.run == nil || s.run.ended {
		return nil, errNoRun
	}
	var answer struct {
		Value  string `json:"value"`
		Failed bool   `json:"failed,omitempty"`
	}
	limit := time.AfterFunc(2*time.Second, s.run.d.Interrupt)
	defer limit.Stop()
	err := s.run.d.Change(func(st *engine.Stack) {
		values, err := st.Eval(frame, "@eval", code)
		if err != nil {
			answer.Value, answer.Failed = cut(err.Error()), true
			return
		}
		answer.Value = debugger.FormatAll(values, maxText)
	})
	return answer, err
}
