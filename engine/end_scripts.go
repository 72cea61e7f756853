package engine

import "github.com/redmoon-lua/redmoon/internal/core/enginedoor"

func init() {
	enginedoor.EndScripts = func(e any, why string, ended func(command string)) { e.(*Engine).endScripts(why, ended) }
}

// scriptsEnd says that no script goes on; see [enginedoor.EndScripts].
type scriptsEnd struct {
	why   string
	ended func(command string)
}

// endScripts is [enginedoor.EndScripts].
func (e *Engine) endScripts(why string, ended func(command string)) {
	e.watch.over.Store(&scriptsEnd{why, ended})
	e.watch.attention.Store(true)
}

// endIfOver ends the running script, or what is being compiled, if endScripts has said so.
func (e *Engine) endIfOver() (ended bool) {
	w := &e.watch
	over := w.over.Load()
	if over == nil {
		return false
	}
	if w.overRun != w.runs {
		w.overRun = w.runs
		over.ended(e.runningCommand())
	}
	w.running.End(over.why)
	return true
}

// runningCommand returns the command that runs the script; "" while a script is compiled.
func (e *Engine) runningCommand() string {
	if c := e.server.Run.Command; c != nil {
		return ScriptWrite{Args: shorten(c.Args)}.String()
	}
	return ""
}
