package debugger

import "github.com/redmoon-lua/redmoon/engine"

// stop is a script that is stopped. The engine's goroutine waits there and does the work that it
// receives, until a piece of work sets run.resume.
type stop struct {
	work    chan work
	resumed chan struct{} // closed when the script runs again
}

type work struct {
	do   func(*run, *engine.Stack)
	done chan struct{}
}

// atStop calls f on the engine's goroutine while the script is stopped, and waits until f returns.
func (s *Session) atStop(f func(*run, *engine.Stack)) error {
	s.mu.Lock()
	here, err := s.stop, s.stopError()
	s.mu.Unlock()
	if err != nil {
		return err
	}
	w := work{f, make(chan struct{})}
	select {
	case here.work <- w:
		<-w.done
		return nil
	case <-here.resumed:
		return ErrRunning
	}
}

// stopAndWait stops the script until it is resumed.
func (r *run) stopAndWait(st *engine.Stack, reason Reason, text string) {
	s, here := r.s, &stop{make(chan work), make(chan struct{})}
	r.stops = append(r.stops, r.now)
	where := Stopped{reason, st.Line(), text, len(r.stops)}
	r.step, r.resume = step{}, nil
	s.mu.Lock()
	s.stop, s.where = here, where
	s.requests.And(^pauseRequested)
	s.mu.Unlock()
	// A request that came before s.stop was set has found nothing to resume: it is obeyed below.
	if s.requests.Load() == 0 {
		s.events.put(where)
		r.wait(st, here)
	}
	r.markRunning(here)
	r.obeyRequests(st)
	if r.resume != nil {
		r.resume(st)
	}
}

// wait does work until r.resume is set or the engine ends the script.
func (r *run) wait(st *engine.Stack, here *stop) {
	for r.resume == nil {
		select {
		case w := <-here.work:
			r.doWork(st, here, w)
		case <-r.engineRun.Done():
			return // obeyRequests ends the script
		}
	}
}

// doWork does one piece of work. Work that raises an error in the script resumes the script.
func (r *run) doWork(st *engine.Stack, here *stop, w work) {
	returned := false
	finish := r.beginEvaluation(st)
	defer func() {
		finish()
		if !returned || r.resume != nil {
			r.markRunning(here)
		}
		close(w.done)
	}()
	w.do(r, st)
	returned = true
}

// markRunning ends the stop: from now on the session's methods return ErrRunning.
func (r *run) markRunning(here *stop) {
	s := r.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop == here {
		s.stop = nil
		close(here.resumed)
	}
}

// obeyRequests ends or restarts the script if the engine or a caller of the session has asked for
// it.
func (r *run) obeyRequests(st *engine.Stack) {
	select {
	case <-r.engineRun.Done():
		st.Abort(abortText)
	default:
	}
	requests := r.s.requests.Load()
	if requests&abortRequested != 0 {
		st.Abort(abortText)
	}
	if requests&restartRequested != 0 {
		r.s.requests.And(^restartRequested)
		r.restart(st, replay{})
	}
}
