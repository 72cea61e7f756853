package testredis

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/tools/explore/play"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest/assert"
	"github.com/redmoon-lua/redmoon/luabridge"
)

// exploration is a call of explore. Each order has a fork of the Env of the test.
type exploration struct {
	w       *World
	parent  *Env
	clients []*client
	// Functions of the test, or nil.
	setup, check, always luabridge.Value

	config   play.Config
	env      *Env // of the running order
	inClient bool // code of a client runs
}

// exploreFields are the fields of explore{...}.
var exploreFields = strings.Fields("clients setup check always ticks crashes waits serializable linearizable order " +
	"max_orders max_preemptions max_steps")

// explore is explore{...}: it runs clients in every order of their steps. It fails if an order
// breaks what must hold.
func (w *World) explore(c *luabridge.ToolCall) ([]luabridge.Value, error) {
	env, err := w.current()
	switch {
	case err != nil:
		return nil, err
	case w.explored != nil:
		return nil, errors.New("explore does not work within explore")
	case w.record != nil:
		return nil, errors.New("explore works in a test, not in setup")
	case env.db != 0:
		return nil, errors.New("explore works in database 0")
	case len(env.stubs) > 0:
		return nil, errors.New("explore does not work with stubs of commands")
	}
	x := &exploration{w: w, parent: env}
	if err := x.read(c); err != nil {
		return nil, err
	}
	env.use("explore")
	r, err := x.run()
	switch {
	case err != nil:
		return nil, fmt.Errorf("explore: %w", err)
	case r.Violation != nil:
		alone := func(order string) string { return fmt.Sprintf("explore { order = '%s', ... }", order) }
		return nil, w.asserts.Fail(c, assert.Failure{Message: r.Failure(alone)})
	case !r.Complete && w.opt.Print != nil:
		w.opt.Print("explore is not complete: " + r.Why)
	}
	t := w.tool
	report := t.Table()
	report.Set("orders", t.Int(r.Orders))
	report.Set("complete", t.Bool(r.Complete))
	if r.Why != "" {
		report.Set("why", t.String(r.Why))
	}
	return one(report)
}

// run runs the orders.
func (x *exploration) run() (play.Report, error) {
	w := x.w
	silent := func(silent bool) {
		x.parent.mu.Lock()
		defer x.parent.mu.Unlock()
		x.parent.silent = silent
	}
	silent(true)
	w.explored = x
	defer func() { // also if the test must end
		w.explored, w.env = nil, x.parent
		silent(false)
	}()
	return play.Explore(x.config)
}

// read reads the table of explore.
func (x *exploration) read(c *luabridge.ToolCall) error {
	table := c.Arg(0)
	if table.Kind() != luabridge.TableKind {
		return c.BadArgument(0, "table expected")
	}
	x.config = play.Config{Open: x.open, MaxOrders: play.DefaultOrders, MaxSteps: play.DefaultSteps, Late: play.LateAfter(x.w.Deadline),
		ScriptName: x.w.nameOfSHA}
	for _, f := range table.Fields() {
		name := f.Key.Text()
		if f.Key.Kind() != luabridge.StringKind || !slices.Contains(exploreFields, name) {
			return fmt.Errorf("explore has no field %s; it has %s", name, strings.Join(exploreFields, ", "))
		}
	}
	if err := x.readClients(table.Get("clients")); err != nil {
		return err
	}
	if err := errors.Join(x.readFunctions(table), x.readNumbers(table), x.readFlags(table)); err != nil {
		return err
	}
	for _, v := range table.Get("ticks").Elements() {
		d, err := durationOf(v)
		if err != nil {
			return fmt.Errorf("explore: ticks: %w", err)
		}
		x.config.Ticks = append(x.config.Ticks, d)
	}
	if v := table.Get("order"); v.Kind() == luabridge.StringKind {
		x.config.Order = v.Text()
	} else if v.Kind() != luabridge.NilKind {
		return errors.New("explore: order must be a text, as the failure shows it")
	}
	for _, list := range []struct {
		name string
		set  func(a *play.Actor)
	}{{"crashes", func(a *play.Actor) { a.Crashes = true }}, {"waits", func(a *play.Actor) { a.Waits = true }}} {
		for _, v := range table.Get(list.name).Elements() {
			i := slices.IndexFunc(x.clients, func(c *client) bool { return c.name == v.Text() })
			if i < 0 {
				return fmt.Errorf("explore: %s: there is no client %q", list.name, v.Text())
			}
			list.set(&x.config.Clients[i])
		}
	}
	return nil
}

// readClients reads the clients: those of the list first, then those with names in sorted order.
func (x *exploration) readClients(table luabridge.Value) error {
	if table.Kind() != luabridge.TableKind {
		return errors.New("explore: clients must be a table of functions")
	}
	named := map[string]luabridge.Value{}
	for i, fn := range table.Elements() {
		x.clients = append(x.clients, &client{x: x, name: play.ClientName(i), fn: fn})
	}
	for _, f := range table.Fields() {
		if f.Key.Kind() == luabridge.StringKind {
			named[f.Key.Text()] = f.Value
		}
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		x.clients = append(x.clients, &client{x: x, name: name, fn: named[name]})
	}
	for _, c := range x.clients {
		if c.fn.Kind() != luabridge.FunctionKind {
			return fmt.Errorf("explore: %s must be a function", c.name)
		}
		x.config.Clients = append(x.config.Clients, play.Actor{Name: c.name, Run: c.run})
	}
	return nil
}

func (x *exploration) readFunctions(table luabridge.Value) error {
	for name, to := range map[string]*luabridge.Value{"setup": &x.setup, "check": &x.check, "always": &x.always} {
		*to = table.Get(name)
		if k := to.Kind(); k != luabridge.FunctionKind && k != luabridge.NilKind {
			return fmt.Errorf("explore: %s must be a function", name)
		}
	}
	x.config.Setup = x.fill
	x.config.Check, x.config.Always = x.invariant(x.check), x.invariant(x.always)
	return nil
}

func (x *exploration) readNumbers(table luabridge.Value) error {
	for name, to := range map[string]*int{"max_orders": &x.config.MaxOrders, "max_preemptions": &x.config.MaxPreemptions,
		"max_steps": &x.config.MaxSteps} {
		switch v := table.Get(name); {
		case v.Kind() == luabridge.NumberKind && v.Number() >= 1 && v.Number() < 1e9:
			*to = int(v.Number())
		case v.Kind() != luabridge.NilKind:
			return fmt.Errorf("explore: %s must be a number from 1", name)
		}
	}
	return nil
}

func (x *exploration) readFlags(table luabridge.Value) error {
	for name, to := range map[string]*bool{"serializable": &x.config.Serializable, "linearizable": &x.config.Linearizable} {
		switch v := table.Get(name); v.Kind() {
		case luabridge.BooleanKind:
			*to = v.Bool()
		case luabridge.NilKind:
		default:
			return fmt.Errorf("explore: %s must be true or false", name)
		}
	}
	return nil
}

// open makes the engine of an order.
func (x *exploration) open(p *engine.Probe) (play.Host, error) {
	env, err := x.parent.fork(p)
	if err != nil {
		if env != nil {
			err = errors.Join(err, env.close())
		}
		return play.Host{}, err
	}
	x.env, x.w.env = env, env
	for _, c := range x.clients {
		c.begin()
	}
	return play.Host{Engine: env.engine, Clock: env.clock, Entangled: env.seen.Injected, Close: env.close}, nil
}

// fill calls the function setup in a new order.
func (x *exploration) fill() error {
	if x.setup.Kind() == luabridge.NilKind {
		return nil
	}
	if _, err := x.w.tool.Call(x.setup); err != nil {
		return fmt.Errorf("setup: %s", x.textOf(err))
	}
	if x.env.db != 0 {
		return errors.New("setup: explore works in database 0")
	}
	return nil
}

// invariant returns a function that calls one of the test with the results of the clients.
func (x *exploration) invariant(fn luabridge.Value) func(*play.State) error {
	if fn.Kind() == luabridge.NilKind {
		return nil
	}
	return func(*play.State) error {
		results := x.w.tool.Table()
		for _, c := range x.clients {
			results.Set(c.name, c.result)
		}
		if _, err := x.w.tool.Call(fn, results); err != nil {
			return errors.New(x.textOf(err))
		}
		return nil
	}
}

// textOf returns the text of an error of Lua code.
func (x *exploration) textOf(err error) string {
	var e *luabridge.ToolError
	if errors.As(err, &e) {
		if text := e.Value.Get("message"); text.Kind() == luabridge.StringKind {
			return text.Text()
		}
	}
	return err.Error()
}

// nameOfSHA returns the name of a script of a file, or "".
func (w *World) nameOfSHA(sha string) string {
	for _, k := range w.scripts {
		if k.source.SHA == sha && k.source.Name != "script" {
			return k.source.Name
		}
	}
	return ""
}
