package play

import (
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/tools/explore"
	"github.com/redmoon-lua/redmoon/internal/tools/harness"
)

// probe returns the probe of the running order.
func (g *game) probe() *engine.Probe {
	return &engine.Probe{Refuse: g.refuse, Ran: g.ran, Unblocked: g.answered}
}

// impossible are the commands that a play cannot follow.
var impossible = map[string]string{
	"subscribe": "messages come at no step", "psubscribe": "messages come at no step", "ssubscribe": "messages come at no step",
	"monitor": "messages come at no step", "client|pause": "it holds the steps of others",
	"client|tracking": "messages come at no step", "shutdown": "the engine must run", "sync": "", "psync": "",
	"replicaof": "", "slaveof": "", "migrate": "",
}

func (g *game) refuse(c engine.ProbedCommand) *engine.Error {
	g.mu.Lock()
	defer g.mu.Unlock()
	no := func(text string) *engine.Error { return &engine.Error{Code: "ERR", Message: "explore: " + text} }
	switch g.mode {
	case setup:
		return nil
	case looking:
		if c.Write {
			g.misuse = fmt.Errorf("an invariant must not write, but it has called %s", strings.Join(c.Args, " "))
			return no("an invariant must not write")
		}
		return nil
	}
	if g.current == nil {
		return no("the client has crashed, or the order has ended")
	}
	owner := g.owners[c.Session]
	if !g.current.inStep && (owner == nil || !owner.inStep) {
		if g.misuse == nil {
			g.misuse = fmt.Errorf("%s ran %s outside of a step: use the client that the play gives it, or Atomic", g.current.Name,
				strings.Join(c.Args, " "))
		}
		return no("a command outside of a step")
	}
	ran := call{args: c.Args}
	if why, ok := impossible[ran.name()]; ok {
		return no(strings.TrimSuffix(strings.ToUpper(strings.ReplaceAll(ran.name(), "|", " "))+" is not possible here: "+why, ": "))
	}
	return nil
}

func (g *game) ran(c engine.ProbedCommand, v engine.Value) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(c.Args) > 2 && strings.EqualFold(c.Args[0], "config") && strings.EqualFold(c.Args[1], "set") {
		for i := 2; i+1 < len(c.Args); i += 2 {
			if strings.EqualFold(c.Args[i], "maxmemory") && !v.IsError() {
				g.evicts = g.evicts || c.Args[i+1] != "0"
			}
		}
	}
	if g.mode != running || g.current == nil {
		return
	}
	r := call{session: c.Session, db: c.DB, script: c.Script, exec: c.Exec, write: c.Write, waits: c.Waits, keys: harness.Cloned(c.Keys()),
		written: harness.Cloned(c.WrittenKeys()), args: harness.Cloned(c.Args), reply: v.Clone(), known: g.known,
		luaState: c.LuaState}
	owner := g.owners[c.Session]
	if owner == nil || c.Session == 0 {
		owner = g.current
		g.owners[c.Session] = owner
	}
	g.calls = append(g.calls, r)
	if !c.Waits {
		return
	}
	if c.Session == 0 {
		g.misuse = fmt.Errorf("%s: %s waits in a call of the engine itself: use a session", owner.Name, r.name())
	}
	w := &wait{a: owner, args: r.args}
	r.uses(&w.uses)
	g.waits[c.Session] = w
	owner.paused, owner.until = true, c.Until
	select {
	case owner.began <- struct{}{}:
	default:
	}
}

// answered is called when a command that waits has its reply.
func (g *game) answered(session int64, v engine.Value) {
	g.mu.Lock()
	defer g.mu.Unlock()
	w := g.waits[session]
	if w == nil {
		return
	}
	delete(g.waits, session)
	g.woken = append(g.woken, w.a)
	for k := range w.uses.Keys {
		g.answers.Key(k, explore.Write)
	}
	g.answers.Join(w.uses)
	g.calls = append(g.calls, call{args: w.args, reply: v.Clone(), session: session, answer: w.a})
}
