package engine

// scriptsEnd says that no script goes on; see EndScripts of enginedoor.Engine.
type scriptsEnd struct {
	why   string
	ended func(command string)
}

// endScripts is EndScripts of enginedoor.Engine.
func (s *scripting) endScripts(why string, ended func(command string)) {
	s.watch.over.Store(&scriptsEnd{why, ended})
	s.watch.attention.Store(true)
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
