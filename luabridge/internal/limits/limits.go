package limits

import (
	"fmt"
	"sync/atomic"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/budget"
)

// Options are the limits, and what they need of the program around them.
type Options struct {
	// MaxMemory is the limit of the memory of a script's values, in bytes. 0: no limit.
	MaxMemory int64
	// MaxSteps is the limit of the steps of a run. 0: no limit.
	MaxSteps int64
	// Attention makes the script call Attend soon after it is set. Optional.
	Attention *atomic.Bool
	// Attend is called between two steps of the script. Optional.
	Attend func()
	// HostMemory returns the bytes that the host holds because of the script. Optional.
	HostMemory func() int64
	// Measure returns the memory of the values that the running script can reach, in bytes. It stops
	// early when the sum exceeds enough.
	Measure func(L *lua.LState, enough int64) int64
	// Kill raises the error of a script that must end.
	Kill func(L *lua.LState)
}

// Limits are the limits of one VM.
type Limits struct {
	orders
	meter
	// Budget limits library functions.
	Budget budget.Budget
	// Evals is the number of nested evaluations of a debugger in progress. A script that exceeds a
	// limit in one of them does not end; the evaluation does.
	Evals int

	opt    Options
	steps  int64       // steps taken in this run, if they are counted
	always atomic.Bool // always set: the machine of a VM that counts steps calls back at each step
}

// Open sets the limits.
func (l *Limits) Open(opt Options) {
	l.opt = opt
	if l.Attention = opt.Attention; l.Attention == nil {
		l.Attention = new(atomic.Bool)
	}
	l.After = afterFunc
	l.Budget = budget.Budget{Attend: l.worked, Reserve: l.reserving}
	l.always.Store(true)
}

// Hooks returns what machine.Machine needs: a flag, and what to call when it is set.
func (l *Limits) Hooks() (attention *atomic.Bool, attend func(L *lua.LState)) {
	if l.opt.MaxSteps > 0 {
		return &l.always, l.step
	}
	return l.Attention, l.attend
}

// BeginRun begins another run.
func (l *Limits) BeginRun() {
	l.meter = meter{}
	l.run.Add(1)
	l.steps = 0
	l.Budget.Reset()
}

// BeginEval begins an evaluation within the run, which counts its own steps. The caller must call
// end when it has ended.
func (l *Limits) BeginEval() (end func()) {
	steps := l.steps
	l.steps = 0
	l.Evals++
	return func() {
		l.steps = steps
		l.Evals--
	}
}

// Poll serves what has set the attention flag. It raises an error if the script must end.
func (l *Limits) Poll(L *lua.LState) {
	if l.Attention.Load() {
		l.attend(L)
	}
}

func (l *Limits) attend(L *lua.LState) {
	l.Attention.Store(false)
	l.Check(L)
	if l.opt.Attend != nil {
		l.opt.Attend()
		l.Check(L)
	}
	l.watchMemory(L)
}

// step counts a step of the machine.
func (l *Limits) step(L *lua.LState) {
	l.Spend(L, 1)
	l.Poll(L)
}

// Spend counts n steps if there is a limit.
func (l *Limits) Spend(L *lua.LState, n int64) {
	if l.opt.MaxSteps <= 0 {
		return
	}
	if l.steps += n; l.steps > l.opt.MaxSteps && l.Order() == nil {
		l.exceed(fmt.Sprintf("ERR Script stopped: it takes more than %d steps", l.opt.MaxSteps))
	}
	l.Check(L)
}

// worked counts n steps of library functions.
func (l *Limits) worked(L *lua.LState, n int64) {
	l.Spend(L, n)
	l.Poll(L)
}

// Check raises an error if the script must end. If a pcall catches the error, it is soon raised
// again.
func (l *Limits) Check(L *lua.LState) {
	order := l.Order()
	if order == nil || order.Eval && l.Evals == 0 && l.given.CompareAndSwap(order, nil) {
		return
	}
	l.Attention.Store(true)
	l.opt.Kill(L)
}

// exceed ends the script that has exceeded a limit, or the evaluation if one runs.
func (l *Limits) exceed(text string) {
	order := &Order{Text: text, Eval: l.Evals > 0, run: l.run.Load()}
	if order.Eval {
		l.giveFirst(order)
	} else {
		l.give(order)
	}
}
