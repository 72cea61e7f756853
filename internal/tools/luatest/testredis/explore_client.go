package testredis

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redmoon-lua/redmoon/internal/tools/explore/play"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest/luavalue"
	"github.com/redmoon-lua/redmoon/luabridge"
	"github.com/redmoon-lua/redmoon/reply"
)

// A client of explore is a Lua function in a coroutine. All Lua code runs on the goroutine of the
// test, which is that of the search. While the code of a client runs, the functions that use Redis
// are others, which yield what the client asks for. The goroutine that package play gives the
// client then takes the step, and the coroutine is resumed with the reply.

// errInClient is the error of functions that do not work in a client.
var errInClient = errors.New("a client of explore has redis.call, redis.pcall, scripts, fcall, pfcall, clock.now and clock.sleep only; " +
	"a function that was kept in a local variable before explore does not work either")

// threadsCode makes the functions of clients. state.asked counts the requests.
const threadsCode = `
local create, resume, status, yield, error, state = ...
local function request(kind)
  return function(...)
    state.asked = state.asked + 1
    local ok, value = yield(state, kind, ...)
    if not ok then error(value, 2) end
    return value
  end
end
-- Code within pcall cannot yield; within a coroutine it can.
local function protect(f, ...)
  local co = create(function(...) return f(...) end)
  local function step(ok, ...)
    if ok and status(co) == 'suspended' then return step(resume(co, yield(...))) end
    return ok, ...
  end
  return step(resume(co, ...))
end
return request, protect
`

// threads are the functions of coroutines, and those of clients.
type threads struct {
	create, resume, status luabridge.Value
	state                  luabridge.Value // first value of each request; its field asked counts them
	places                 []place
}

// place is a field that has another value while the code of a client runs.
type place struct {
	table luabridge.Value
	name  string
	value luabridge.Value
}

// threadsOf returns the functions, which are made once.
func (w *World) threadsOf() (*threads, error) {
	if w.threads != nil {
		return w.threads, nil
	}
	t, g := w.tool, w.tool.Globals()
	co := g.Get("coroutine")
	th := &threads{create: co.Get("create"), resume: co.Get("resume"), status: co.Get("status"), state: t.Table()}
	code, err := t.Load("=explore", threadsCode)
	if err != nil {
		return nil, err
	}
	made, err := t.Call(code, th.create, th.resume, th.status, co.Get("yield"), g.Get("error"), th.state)
	if err != nil {
		return nil, err
	}
	request, protect := made[0], made[1]
	add := func(table luabridge.Value, names ...string) {
		for _, name := range names {
			f, err2 := t.Call(request, t.String(name))
			if err = errors.Join(err, err2); err == nil {
				th.places = append(th.places, place{table, name, f[0]})
			}
		}
	}
	add(g.Get("redis"), "call", "pcall")
	add(g.Get("clock"), "sleep")
	add(g, "fcall", "pfcall")
	for _, m := range scriptMethods {
		add(w.methods, m.name)
	}
	th.places = append(th.places, place{g, "pcall", protect})
	if err == nil {
		w.threads = th
	}
	return th, err
}

// client is a client of explore.
type client struct {
	x    *exploration
	name string
	fn   luabridge.Value

	// Of the running order.
	co     luabridge.Value
	result luabridge.Value // what the function has returned
}

func (c *client) begin() { c.co, c.result = luabridge.Value{}, luabridge.Value{} }

// request is what a client asks for.
type request struct {
	words     []string
	run       *Run // nil: a command
	protected bool // an error reply is returned
	sleep     time.Duration
	problem   error // the arguments are wrong
}

// run is the client on its goroutine.
func (c *client) run(p *play.Client) {
	answer := func() []luabridge.Value { return nil }
	for {
		var ask *request
		err := p.OnSearch(func() { ask = c.resume(p, answer()) })
		if err != nil || ask == nil {
			return
		}
		switch {
		case ask.problem != nil:
			answer = c.raising(ask.problem)
		case ask.words == nil:
			if p.Sleep(ask.sleep) != nil {
				return
			}
			answer = func() []luabridge.Value { return []luabridge.Value{c.x.w.tool.Bool(true)} }
		default:
			v, err := valueOf(p.DoStrings(context.Background(), ask.words...))
			if err != nil {
				answer = c.raising(err)
			} else {
				answer = func() []luabridge.Value { return c.answered(ask, v) }
			}
		}
	}
}

// raising returns the answer that raises an error.
func (c *client) raising(err error) func() []luabridge.Value {
	t := c.x.w.tool
	return func() []luabridge.Value { return []luabridge.Value{t.Bool(false), t.String(err.Error())} }
}

// answered returns what the coroutine gets for a reply.
func (c *client) answered(ask *request, v reply.Value) []luabridge.Value {
	w := c.x.w
	v = v.Clone()
	if ask.run != nil {
		ask.run.Reply = v
	}
	return []luabridge.Value{w.tool.Bool(ask.protected || !v.IsError()), w.fromReply(v, ask.run)}
}

// resume runs the code of the client to its next request. It returns nil if the client has ended.
func (c *client) resume(p *play.Client, answer []luabridge.Value) *request {
	w := c.x.w
	t := w.tool
	th, err := w.threadsOf()
	fail := func(format string, args ...any) *request {
		p.Fail(fmt.Errorf("%s: %s", c.name, fmt.Sprintf(format, args...)))
		return nil
	}
	if err != nil {
		return fail("%v", err)
	}
	if c.co.Kind() == luabridge.NilKind {
		made, err := t.Call(th.create, c.fn)
		if err != nil {
			return fail("%v", err)
		}
		c.co = made[0]
	}
	th.state.Set("asked", t.Int(0))
	values, err := c.x.asClient(th, func() ([]luabridge.Value, error) {
		return t.Call(th.resume, append([]luabridge.Value{c.co}, answer...)...)
	})
	if err != nil {
		return fail("%s", c.x.textOf(err))
	}
	status, err := t.Call(th.status, c.co)
	if err != nil {
		return fail("%v", err)
	}
	asked := th.state.Get("asked").Number()
	suspended := status[0].Text() == "suspended"
	arrived := suspended && len(values) > 2 && values[1] == th.state
	switch {
	case !values[0].Bool() && asked == 0:
		return fail("%s", c.x.textOf(luabridge.Raise(values[1], textOfValue(values[1]))))
	case asked > 1 || asked == 1 && !arrived:
		return fail("a client of explore cannot use Redis in a coroutine of its own, or in a function that a library calls, " +
			"such as one of assert.has_error or table.sort")
	case arrived:
		return c.requested(values[2].Text(), values[3:])
	case suspended:
		return fail("a client of explore must not yield")
	}
	if len(values) > 1 {
		c.result = values[1]
		p.Note("result", luavalue.FormatShort(values[1]))
	}
	return nil
}

// textOfValue returns an error value for people.
func textOfValue(v luabridge.Value) string {
	switch v.Kind() {
	case luabridge.StringKind, luabridge.NumberKind:
		return v.Text()
	}
	if text := v.Get("err"); text.Kind() == luabridge.StringKind {
		return text.Text()
	}
	return luavalue.FormatShort(v)
}

// asClient runs f with the functions of clients.
func (x *exploration) asClient(th *threads, f func() ([]luabridge.Value, error)) ([]luabridge.Value, error) {
	before := make([]luabridge.Value, len(th.places))
	for i, p := range th.places {
		before[i] = p.table.Get(p.name)
		p.table.Set(p.name, p.value)
	}
	x.inClient = true
	defer func() { // also if the test must end
		x.inClient = false
		for i, p := range th.places {
			p.table.Set(p.name, before[i])
		}
	}()
	return f()
}

// requested reads a request.
func (c *client) requested(kind string, args []luabridge.Value) *request {
	w := c.x.w
	ask := &request{protected: kind == "pcall" || kind == "pfcall" || kind == "prun"}
	arg := func(i int) (v luabridge.Value) {
		if i < len(args) {
			v = args[i]
		}
		return v
	}
	switch kind {
	case "call", "pcall":
		ask.words, ask.problem = commandWords(args)
		return ask
	case "sleep":
		ask.sleep, ask.problem = durationOf(arg(0))
		return ask
	case "fcall", "pfcall":
		if arg(0).Kind() != luabridge.StringKind {
			ask.problem = errors.New("the name of a function expected")
			return ask
		}
		ask.run = w.functionRun(arg(0).Text())
		ask.problem = ask.run.with(arg(1), arg(2))
	default:
		for _, m := range scriptMethods {
			if m.name == kind {
				ask.run, ask.problem = w.scriptRun(m, args)
			}
		}
	}
	if ask.problem == nil {
		ask.words = ask.run.words()
	}
	return ask
}
