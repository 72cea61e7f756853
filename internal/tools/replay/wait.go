package replay

// A command that may wait, such as BLPOP, is sent to the engine when it has waited in the
// recording: before the operation that may serve it. If it did not wait, it runs when its turn
// comes.

import (
	"slices"
	"strings"
)

// startWaiting sends the engine those commands that have waited in the recording when o ran.
func (r *replayer) startWaiting(o *operation) error {
	r.window.blocking = slices.DeleteFunc(r.window.blocking, func(x *operation) bool { return x.done })
	if len(r.window.blocking) == 0 {
		return nil
	}
	var due []*operation
	for _, x := range r.window.blocking {
		if x.sent >= o.replied {
			break
		}
		if x.resolved && !x.started && x.skip == "" && x.client != o.client && x.client.conn != nil &&
			x.client.operations[0] == x &&
			!x.last().want.isNil() &&
			r.mayServe(o, x) {
			due = append(due, x)
		}
	}
	if len(due) == 0 {
		return nil
	}
	slices.SortStableFunc(due, byPreferredLine)
	if o.access.writes {
		if err := r.try(func(t *trial) { due = t.servedBy(o, due) }); err != nil {
			return err
		}
	}
	for _, x := range due {
		x.started = true
		x.client.conn.run(r.argsOf(x.last(), &x.steps[0])...)
	}
	return nil
}

// mayServe reports whether o may end the wait of x: it writes a key that x waits for, or it is a
// CLIENT UNBLOCK or CLIENT KILL.
func (r *replayer) mayServe(o, x *operation) bool {
	if strings.HasPrefix(x.last().want.raw, "-UNBLOCKED") {
		spec := o.facts.spec
		return !o.multi && spec != nil && spec.Parent != nil && spec.Parent.Name == "client"
	}
	return o.access.writes && r.conflicts(o, x)
}

// servedBy returns those of the commands that would wait now, and are served by o, in the order in
// which o serves them: they must have begun to wait in this order. Behind them come those that wait
// for a stream: what they get depends on when they began to wait (XREAD with $), so a trial cannot
// serve them.
func (t *trial) servedBy(o *operation, waiting []*operation) (list []*operation) {
	now := max(t.r.now(), t.r.micros(o.sentAt))
	waiting = slices.DeleteFunc(waiting, func(x *operation) bool { return !t.waits(x, now) })
	if len(waiting) == 0 {
		return nil
	}
	t.runAnyway(o, now)
	for found := true; found; {
		found = false
		for i, x := range waiting {
			if _, ok := t.attempt(x, now); ok {
				list = append(list, x)
				waiting = slices.Delete(waiting, i, i+1)
				found = true
				break
			}
		}
	}
	for _, x := range waiting {
		if x.facts.spec.Group == "stream" && t.waits(x, now) {
			list = append(list, x)
		}
	}
	return list
}

// waits reports whether a command would wait.
func (t *trial) waits(o *operation, at int64) bool {
	w := want{raw: string(t.run(&o.steps[0], at))}
	t.undo(1)
	return w.isNil()
}
