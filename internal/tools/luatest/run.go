package luatest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/redmoon-lua/redmoon/internal/tools/luatest/testredis"
	"github.com/redmoon-lua/redmoon/luabridge"
)

// run is a test, or the setup and teardown functions of a block, in progress.
type run struct {
	f        *File
	test     *test // nil: hooks of a block
	env      *testredis.Env
	phase    string
	finally  []luabridge.Value
	pending  bool
	reason   string
	problems []Problem
	snaps    int  // snapshots without a name so far
	stopped  bool // by the time-out: its engine is closed
}

// Run runs the tests that the options choose and returns their results in order. It may be called
// once.
func (f *File) Run() FileResult {
	start := time.Now()
	if f.root.broken != nil {
		f.done(Result{File: f.Path, Names: []string{"the file does not run"}, Line: f.root.broken.Line, Status: Errored, Hook: "file",
			Problems: []Problem{*f.root.broken}})
	} else {
		f.runBlock(f.root)
	}
	result := FileResult{Path: f.Path, Results: f.results, Duration: time.Since(start), Stopped: f.stopped}
	result.Snapshots = f.saveSnapshots()
	slices.Sort(f.reads)
	result.Reads = slices.Compact(f.reads)
	return result
}

// done adds a result.
func (f *File) done(r Result) {
	f.bad = f.bad || r.Status.Bad()
	f.results = append(f.results, r)
	if f.opt.Done != nil {
		f.opt.Done(r)
	}
}

// over reports whether no further test must run.
func (f *File) over() bool {
	if f.ctx.Err() != nil || f.bad && f.opt.FailFast || f.tool.Broken() != "" || f.second && len(f.records) >= len(f.first) {
		f.stopped = true
	}
	return f.stopped
}

// selected returns the tests of a block that the options choose.
func (f *File) selected(b *block) (list []*test) {
	for _, t := range b.tests() {
		if f.opt.selects(t) {
			list = append(list, t)
		}
	}
	return list
}

// around runs a block or a test by the function of the options.
func (f *File) around(name string, run func()) {
	if f.opt.Around == nil {
		run()
		return
	}
	f.opt.Around(name, func() []Result {
		n := len(f.results)
		run()
		return f.results[n:]
	})
}

// runBlock runs the tests of a block.
func (f *File) runBlock(b *block) {
	if f.over() {
		return
	}
	if b.broken != nil {
		f.done(Result{File: f.Path, Names: b.names(), Line: b.line, Status: Errored, Hook: "describe", Problems: []Problem{*b.broken}})
		return
	}
	if len(f.selected(b)) == 0 {
		f.runBroken(b)
		return
	}
	before, modules, mark := f.globals(), f.loaded.Fields(), f.asserts.Mark()
	for _, field := range b.globals {
		f.tool.Globals().SetField(field.Key, field.Value)
	}
	h := f.beginHooks(b)
	if h.setup() {
		for _, c := range f.order(b) {
			f.runNode(c)
		}
	} else {
		for _, t := range f.selected(b) {
			f.done(Result{File: f.Path, Names: t.names(), Line: t.line, Status: NotRun, Reason: "a setup function around it has failed"})
		}
		f.runBroken(b)
	}
	h.teardown()
	f.asserts.Revert(mark)
	if b.insulated {
		restore(f.loaded, modules)
	}
	restore(f.tool.Globals(), before)
}

// runBroken reports the blocks in a block whose functions have failed, whatever the options choose:
// nobody knows which tests they would have had.
func (f *File) runBroken(b *block) {
	for _, broken := range b.brokenBlocks() {
		f.around(broken.name, func() { f.runBlock(broken) })
	}
}

// order returns the children of a block in the order in which they run.
func (f *File) order(b *block) []node {
	children := slices.Clone(b.children)
	if r := f.opt.shuffler(f.Path + "\x00" + strings.Join(b.names(), "\x00")); r != nil {
		r.Shuffle(len(children), func(i, j int) { children[i], children[j] = children[j], children[i] })
	}
	return children
}

func (f *File) runNode(c node) {
	switch {
	case c.block != nil && (len(f.selected(c.block)) > 0 || len(c.block.brokenBlocks()) > 0) && !f.over():
		f.around(c.block.name, func() { f.runBlock(c.block) })
	case c.test != nil && f.opt.selects(c.test) && !f.over():
		f.around(c.test.name, func() { f.runTest(c.test) })
	}
}

// hooks are the setup and teardown functions of a block, which share a Redis.
type hooks struct {
	run
	block *block
}

func (f *File) beginHooks(b *block) *hooks { return &hooks{run{f: f}, b} }

// setup runs the setup functions. It reports whether all have succeeded.
func (h *hooks) setup() bool {
	b := h.block
	if len(b.hooks[setup])+len(b.hooks[teardown]) == 0 {
		return true
	}
	var ops []testredis.Op
	if b.parent != nil {
		ops = b.parent.allOps()
	}
	return h.stage("setup", ops, &b.ops, b.hooks[setup])
}

// teardown runs the teardown functions.
func (h *hooks) teardown() {
	if h.env == nil {
		return
	}
	h.stage("teardown", nil, nil, h.block.hooks[teardown])
	if err := h.f.world.End(h.env); err != nil {
		h.problems = append(h.problems, Problem{Phase: "teardown", Message: err.Error()})
		h.report("teardown")
	}
}

// stage runs the setup or the teardown functions.
func (h *hooks) stage(phase string, ops []testredis.Op, record *[]testredis.Op, functions []luabridge.Value) bool {
	f := h.f
	f.world.Settings, f.running, h.phase = h.block.settings, &h.run, phase
	h.problems = nil
	if h.env == nil {
		f.noteCall(nil)
		var err error
		if h.env, err = f.world.Begin(ops, nil, nil); err != nil {
			h.fail(phase, err)
		}
	}
	f.world.Enter(h.env, record)
	for _, fn := range functions {
		if err := f.call(fn); err != nil {
			h.fail(phase, err)
			break
		}
	}
	f.world.Leave()
	f.running = nil
	if len(h.problems) == 0 {
		return true
	}
	h.report(phase)
	return false
}

// report adds the result of functions that have failed.
func (h *hooks) report(phase string) {
	h.f.done(Result{File: h.f.Path, Names: append(h.block.names(), phase), Line: h.problems[0].Line, Status: statusOf(h.problems), Hook: phase,
		Problems: h.problems, Output: h.f.takeOutput(), Logs: h.env.Logs()})
}

// statusOf returns the status of a test with problems.
func statusOf(problems []Problem) Status {
	for _, p := range problems {
		if p.Failure == nil {
			return Errored
		}
	}
	if len(problems) > 0 {
		return Failed
	}
	return Passed
}

// fail adds a problem, or notes that the test has called pending.
func (r *run) fail(phase string, err error) {
	var e *luabridge.ToolError
	if errors.As(err, &e) && e.Value == r.f.pending && !e.Stopped {
		r.pending = true
		return
	}
	r.stopped = r.stopped || e != nil && e.Stopped
	r.problems = append(r.problems, *r.f.problem(phase, err))
	if d := r.f.opt.Debug; d != nil && d.Failed != nil {
		d.Failed()
	}
}

// runTest runs a test and adds its result.
func (f *File) runTest(t *test) {
	result := Result{File: f.Path, Names: t.names(), Line: t.line, Status: Pending, Reason: t.reason}
	if t.pending {
		f.done(result)
		return
	}
	if t.property != nil {
		f.runProperty(t)
		return
	}
	start := time.Now()
	on, first := f.against()
	r := f.once(t, on, first)
	result.Status, result.Problems, result.Reason = statusOf(r.problems), r.problems, ""
	if result.Status == Passed && r.pending {
		result.Status, result.Reason = Pending, r.reason
	}
	result.Output, result.Logs = f.takeOutput(), r.env.Logs()
	f.record(r, result.Status, "")
	if err := f.world.End(r.env); err != nil {
		result.Status = Errored
		result.Problems = append(result.Problems, Problem{Phase: "test", Message: "a mistake in Redmoon: " + err.Error()})
	}
	result.Duration = time.Since(start)
	f.done(result)
}

// once runs a test with the functions around it, on an engine or on a server. values are those of a
// property. The caller must end its Env.
func (f *File) once(t *test, on testredis.Server, first *testredis.Env, values ...luabridge.Value) *run {
	r := &run{f: f, test: t, phase: "setup"}
	f.asserts.Reset()
	before, mark := f.globals(), f.asserts.Mark()
	f.world.Settings, f.running = t.block.settings, r
	var err error
	if on != nil {
		if err = testredis.Prepare(f.ctx, on); err != nil {
			r.fail("server", err)
		}
	}
	f.noteCall(nil)
	if r.env, err = f.world.Begin(t.block.allOps(), on, first); err != nil {
		r.fail("setup", err)
	}
	r.phase = "before_each"
	reached := r.beforeEach()
	if len(r.problems) == 0 && !r.pending {
		if err := r.env.MarkStart(); err != nil {
			r.fail("test", err)
		}
		r.phase = "test"
		if err := f.call(t.fn, values...); err != nil {
			r.fail("test", err)
		}
		r.phase = "finally"
		for _, fn := range slices.Backward(r.finally) {
			r.call("finally", fn)
		}
	}
	r.phase = "after_each"
	for _, b := range slices.Backward(reached) {
		for _, fn := range b.hooks[afterEach] {
			r.call("after_each", fn)
		}
	}
	f.asserts.Revert(mark)
	f.running = nil
	f.world.Leave()
	restore(f.tool.Globals(), before)
	return r
}

// call calls a function after the test, unless the test was stopped.
func (r *run) call(phase string, fn luabridge.Value) {
	if r.stopped {
		return
	}
	if err := r.f.call(fn); err != nil {
		r.fail(phase, err)
	}
}

// beforeEach runs the before_each functions. It returns the blocks whose functions have run, in
// order; the last one may have failed.
func (r *run) beforeEach() (reached []*block) {
	for _, b := range r.test.block.path() {
		reached = append(reached, b)
		for _, fn := range b.hooks[beforeEach] {
			if err := r.f.call(fn); err != nil {
				r.fail("before_each", err)
			}
		}
		if len(r.problems) > 0 || r.pending {
			break
		}
	}
	return reached
}

// limit ends the code that runs when the time-out has passed or the run is stopped. The caller must
// call stop when the code has ended.
func (f *File) limit() (stop func()) {
	var mu sync.Mutex
	over := false
	env := (*testredis.Env)(nil)
	if f.running != nil {
		env = f.running.env
	}
	end := func(reason string) {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			f.tool.Interrupt(reason)
			if env != nil {
				env.Abort()
			}
		}
	}
	f.world.Deadline = time.Now().Add(f.opt.timeout() / 5 * 4)
	stopTimer := f.opt.afterFunc(f.opt.timeout(), func() { end(fmt.Sprintf("it takes longer than %v", f.opt.timeout())) })
	watch := make(chan struct{})
	go func() {
		select {
		case <-f.ctx.Done():
			end("the run was stopped")
		case <-watch:
		}
	}()
	return func() {
		stopTimer()
		close(watch)
		mu.Lock()
		over = true
		mu.Unlock()
		f.tool.ClearInterrupt()
	}
}

// takeOutput returns what has been printed since the last call.
func (f *File) takeOutput() string {
	text := f.output.String()
	f.output.Reset()
	return text
}
