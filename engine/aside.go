package engine

import "time"

// aside runs f, which waits for another server on behalf of the running script, on a goroutine of
// its own. The loop serves others meanwhile, as while a script is busy. If the script is to end, it
// calls cancel, which must make f return soon.
func (e *Engine) aside(cancel, f func()) {
	done, w := make(chan any, 1), &e.watch
	go func() {
		defer func() { done <- recover() }()
		f()
	}()
	order := &orderedEnd{stoppable: w.running}
	w.running = order
	defer func() { w.running = order.stoppable }()
	tick := time.NewTicker(attendBusy)
	defer tick.Stop()
	for cancelled := false; ; {
		select {
		case p := <-done:
			if p != nil {
				panic(p)
			}
			return
		case <-tick.C:
		}
		e.lookAfterScript()
		if order.given && !cancelled {
			cancelled = true
			cancel()
		}
	}
}

// orderedEnd notes that a script has to end.
type orderedEnd struct {
	stoppable
	given bool
}

func (o *orderedEnd) Kill(reason string) {
	o.given = true
	o.stoppable.Kill(reason)
}

func (o *orderedEnd) End(reason string) {
	o.given = true
	o.stoppable.End(reason)
}
