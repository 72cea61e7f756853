package engine

import "github.com/redmoon-lua/redmoon/internal/core/server"

// try runs a trial on the loop.
func (e *Engine) try(f func(*server.Trial)) error {
	return e.onLoop(func() {
		defer func() { // what failed scripts have left behind is undone
			e.leaveScript()
			clear(e.left)
			e.left = e.left[:0]
		}()
		e.server.Try(f)
	})
}
