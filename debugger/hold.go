package debugger

import "github.com/redmoon-lua/redmoon/engine"

// stop is where a script stands still: the engine's goroutine does there what it is given, until it is told how to go on.
type stop struct {
	work chan work
	gone chan struct{} // closed when the script goes on
}

type work struct {
	do   func(*run, *engine.Stack)
	done chan struct{}
}

// at has f called where the script stands, and waits for it.
func (s *Session) at(f func(*run, *engine.Stack)) error {
	s.mu.Lock()
	here, err := s.stop, s.moving()
	s.mu.Unlock()
	if err != nil {
		return err
	}
	w := work{f, make(chan struct{})}
	select {
	case here.work <- w:
		<-w.done
		return nil
	case <-here.gone:
		return ErrRunning
	}
}

// hold stops the script.
func (r *run) hold(st *engine.Stack, reason Reason, text string) {
	s, here := r.s, &stop{make(chan work), make(chan struct{})}
	r.stops = append(r.stops, r.now)
	where := Stopped{reason, st.Line(), text, len(r.stops)}
	r.step, r.leave = step{}, nil
	s.mu.Lock()
	s.stop, s.where = here, where
	s.asked.And(^pauseAsked)
	s.mu.Unlock()
	if s.asked.Load() == 0 { // else who asks may have come too early to find the stop
		s.events.put(where)
		r.wait(st, here)
	}
	r.left(here)
	r.obey(st)
	if r.leave != nil {
		r.leave(st)
	}
}

// wait does what it is given until r.leave says how to go on.
func (r *run) wait(st *engine.Stack, here *stop) {
	for r.leave == nil {
		select {
		case w := <-here.work:
			r.serve(st, here, w)
		case <-r.on.Done():
			return // obey ends the script
		}
	}
}

// serve does one piece of work. Work that raises an error in the script lets that go on.
func (r *run) serve(st *engine.Stack, here *stop, w work) {
	stays := false
	finish := r.evaluating(st)
	defer func() {
		finish()
		if !stays || r.leave != nil {
			r.left(here)
		}
		close(w.done)
	}()
	w.do(r, st)
	stays = true
}

// left makes the session one that is running.
func (r *run) left(here *stop) {
	s := r.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop == here {
		s.stop = nil
		close(here.gone)
	}
}

// obey does what the session was asked for from outside.
func (r *run) obey(st *engine.Stack) {
	select {
	case <-r.on.Done():
		st.Abort(abortText)
	default:
	}
	asked := r.s.asked.Load()
	if asked&abortAsked != 0 {
		st.Abort(abortText)
	}
	if asked&restartAsked != 0 {
		r.s.asked.And(^restartAsked)
		r.again(st, aim{})
	}
}
