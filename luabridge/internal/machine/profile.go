package machine

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Profile measures what the lines of scripts cost. It belongs to the goroutine of the machine.
//
// It keeps a tree of [Cost]s: below a line of a function are the lines of the functions that it has
// called, and the library functions and commands that it has called.
type Profile struct {
	Now   func() int64                          // nanoseconds
	Bytes func() int64                          // allocated so far; see [Machine.Allocated]
	Name  func(fn *lua.LFunction) (name string) // of a Go function
	Owns  func(p *lua.FunctionProto) bool       // p is a function of the text, not of one that it has loaded

	stack   []level
	current *Cost // to which time and memory are charged
	root    *Cost
	since   int64 // nanoseconds
	bytes   int64
	touched []*Cost
}

// Cost is what a line of a function, or a library function or command, has cost when it was called
// from one place.
type Cost struct {
	Caller *Cost              // nil: the root
	In     *lua.FunctionProto // nil for library functions, commands and functions of loaded code
	Line   int
	Name   string // of the library function or command
	Sum    Costs  // of the run in progress
	Last   Costs  // of the last run that has changed it
	Twin   any    // for the owner of the tree

	depth   int
	size    int // of the root: number of Costs in the tree
	callees []*Cost
	keys    []callee         // of callees
	index   map[callee]*Cost // of callees, if they are many
	touched bool
}

// Costs are the numbers of a [Cost].
type Costs struct {
	Nanos    int64 // without those of callees
	Hits     int64 // how often the line began, or the function or command was called
	Calls    int64 // calls that the line made
	Commands int64 // calls of redis.call and redis.pcall that the line made
	Bytes    int64 // allocated, without callees
}

// Limits of a tree, which a script could make grow without end.
const (
	maxDepth = 128     // deeper calls count as if the calls above them had not been
	maxCosts = 1 << 15 // when there are more, new callees count for their callers
)

// callee identifies a Cost below another.
type callee struct {
	in      *lua.FunctionProto
	line    int
	name    string
	command string // as the script has written it
}

// few is the number of callees that are searched one by one.
const few = 8

// below returns the Cost of a callee of c.
func (p *Profile) below(c *Cost, k callee) *Cost {
	if c.depth >= maxDepth {
		c = c.Caller
	}
	if c.index != nil {
		if found := c.index[k]; found != nil {
			return found
		}
	} else {
		for i := range c.keys {
			if c.keys[i] == k {
				return c.callees[i]
			}
		}
	}
	if p.root.size >= maxCosts {
		return c
	}
	p.root.size++
	return c.add(k)
}

func (c *Cost) add(k callee) *Cost {
	k.command = strings.Clone(k.command)
	made := &Cost{Caller: c, In: k.in, Line: k.line, Name: k.name, depth: c.depth + 1}
	if k.command != "" {
		made.Name += " " + commandName(k.command)
	}
	c.callees, c.keys = append(c.callees, made), append(c.keys, k)
	switch {
	case c.index != nil:
		c.index[k] = made
	case len(c.callees) > few:
		c.index = map[callee]*Cost{}
		for i, k := range c.keys {
			c.index[k] = c.callees[i]
		}
	}
	return made
}

// loadedCode is the name of the functions of texts that the script has loaded.
const loadedCode = "loaded code"

// line returns the callee for a line of a function.
func (p *Profile) line(in *lua.FunctionProto, line int) callee {
	if !p.Owns(in) { // each load makes other functions
		return callee{name: loadedCode, line: line}
	}
	return callee{in: in, line: line}
}

// level is a Lua function in progress.
type level struct {
	frame  *frame
	in     *lua.FunctionProto
	line   int
	caller *Cost
	at     *Cost // its line
}

// Measure makes m measure code that begins to run from now on; nil: nothing is measured.
func (m *Machine) Measure(p *Profile) {
	m.profile = p
	m.watch()
}

// Allocated returns the number of bytes that instructions and library functions have allocated, as
// far as they are counted.
func (m *Machine) Allocated() int64 { return m.Budget.Total() + int64(m.allocated) }

// Begin begins a run whose costs are below root.
func (p *Profile) Begin(root *Cost) {
	p.stack, p.current, p.root = p.stack[:0], root, root
	p.since, p.bytes = p.Now(), p.Bytes()
}

// End ends the run. It returns the costs that have changed, until the next Begin.
func (p *Profile) End() []*Cost {
	p.charge()
	for _, c := range p.touched {
		c.touched = false
	}
	touched := p.touched
	p.touched, p.current, p.root = p.touched[:0], nil, nil
	clear(p.stack[:cap(p.stack)])
	return touched
}

// charge charges what has passed since the last call to the current Cost.
func (p *Profile) charge() {
	now, bytes := p.Now(), p.Bytes()
	c := p.touch(p.current)
	c.Sum.Nanos += now - p.since
	c.Sum.Bytes += bytes - p.bytes
	p.since, p.bytes = now, bytes
}

func (p *Profile) touch(c *Cost) *Cost {
	if !c.touched {
		c.touched = true
		p.touched = append(p.touched, c)
	}
	return c
}

// activation is the state of the profile when a run of the loop begins.
type activation struct {
	levels  int
	current *Cost
}

// enter begins a run of the loop, also a nested one.
func (p *Profile) enter() activation { return activation{len(p.stack), p.current} }

// leave ends a run of the loop, also if it panics.
func (p *Profile) leave(a activation) {
	p.charge()
	p.stack, p.current = p.stack[:a.levels], a.current
}

// move is called before an instruction that is not on the line, or not in the function, of the one
// before. floor is the number of levels when this run of the loop began.
func (p *Profile) move(cf *frame, line, floor int) {
	p.charge()
	n := len(p.stack)
	if n == floor || p.stack[n-1].frame != cf.Parent { // it is not a new call
		for n > floor && p.stack[n-1].frame != cf {
			n--
		}
		p.stack = p.stack[:n]
		if n > floor {
			p.step(&p.stack[n-1], cf.Fn.Proto, line)
			return
		}
	}
	p.push(cf, line, floor)
	if lines := cf.Fn.Proto.DbgSourcePositions; cf.Pc == 1 || lines[cf.Pc-2] != line { // else a coroutine goes on
		p.touch(p.current).Sum.Hits++
	}
}

// step continues a function, or the one that has replaced it by a tail call, at a line.
func (p *Profile) step(l *level, in *lua.FunctionProto, line int) {
	if l.in != in || l.line != line {
		l.in, l.line = in, line
		l.at = p.below(l.caller, p.line(in, line))
		p.touch(l.at).Sum.Hits++
	}
	p.current = l.at
}

// push begins a function, and those below it on its thread that are not known yet: the thread of a
// coroutine that goes on has some.
func (p *Profile) push(cf *frame, line, floor int) {
	caller := p.current
	if n := len(p.stack); n > floor {
		caller = p.stack[n-1].at
	}
	if f := cf.Parent; f != nil && !f.Fn.IsG && (len(p.stack) == floor || p.stack[len(p.stack)-1].frame != f) {
		p.push(f, f.Fn.Proto.DbgSourcePositions[max(f.Pc-1, 0)], floor)
		caller = p.current
	}
	at := p.below(caller, p.line(cf.Fn.Proto, line))
	p.stack = append(p.stack, level{cf, cf.Fn.Proto, line, caller, at})
	p.current = at
}

// call is called before the current line calls a function with arguments. It reports whether end
// must be called after the call.
func (p *Profile) call(fn lua.LValue, args []lua.LValue) (library bool) {
	line := p.touch(p.current)
	line.Sum.Calls++
	f, ok := fn.(*lua.LFunction)
	if !ok || !f.IsG {
		return false
	}
	k := callee{name: p.Name(f)}
	if k.name == "redis.call" || k.name == "redis.pcall" {
		line.Sum.Commands++
		if s, ok := first(args).(lua.LString); ok {
			k.command = string(s[:min(len(s), longestName)])
		}
	}
	p.charge()
	p.current = p.below(line, k)
	p.touch(p.current).Sum.Hits++
	return true
}

// arguments returns the arguments of the call that an instruction makes.
func arguments(reg *registry, ra int, inst uint32) []lua.LValue {
	n := int(inst&0x1ff) - 1
	if n < 0 {
		n = reg.top - ra - 1
	}
	return reg.array[ra+1 : ra+1+n]
}

func first(args []lua.LValue) lua.LValue {
	if len(args) == 0 {
		return nil
	}
	return args[0]
}

// longestName limits the length of the name of a command, because any text may stand there.
const longestName = 32

// commandName returns the name of a command in upper case.
func commandName(s string) string {
	b := []byte(s)
	for i, c := range b {
		switch {
		case c >= 'a' && c <= 'z':
			b[i] = c - 'a' + 'A'
		case c < ' ' || c >= 0x7f:
			b[i] = '?'
		}
	}
	return string(b)
}

// end ends the call of a library function.
func (p *Profile) end() {
	p.charge()
	p.current = p.stack[len(p.stack)-1].at
}
