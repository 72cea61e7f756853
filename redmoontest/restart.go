package redmoontest

import (
	"context"
	"net"
)

// Restart replaces the engine by a new one with the same data, as a restart of a server does that
// has lost nothing: connections and sessions end, MULTI and WATCH are forgotten, and the cache of
// scripts is empty, so that EVALSHA answers NOSCRIPT. Function libraries and the configuration
// stay. The server of [Engine.Addr] has the same address. Restart must not be called while other
// goroutines use the engine. It ends the test on an error.
func (e *Engine) Restart() {
	e.t.Helper()
	next, err := e.Fork()
	if err == nil {
		_, err = next.DoStrings(context.Background(), "SCRIPT", "FLUSH")
	}
	if err != nil {
		e.t.Fatalf("redmoontest: restart: %v", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	done := endScripts(e.t, e.Engine)
	if e.endServer != nil {
		err = e.endServer()
	}
	old := e.Engine
	e.Engine = next
	if cerr := old.Close(); err == nil {
		err = cerr
	}
	done()
	if err == nil && e.listener != nil {
		if e.listener, err = net.Listen("tcp", e.listener.Addr().String()); err == nil {
			e.serve()
		}
	}
	if err != nil {
		e.t.Fatalf("redmoontest: restart: %v", err)
	}
	e.watch()
}
