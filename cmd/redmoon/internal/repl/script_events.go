package repl

import (
	"sync"

	"github.com/redmoon-lua/redmoon/debugger"
)

// scriptEvent is an event of a script that is debugged.
type scriptEvent struct {
	from  *stopped
	event debugger.Event
}

// eventBox holds the events of all scripts, in order, until the dialogue takes them.
type eventBox struct {
	wake  func()        // makes the dialogue look here while a line is typed
	ready chan struct{} // holds a token while there are events
	mu    sync.Mutex
	list  []scriptEvent
}

func newEventBox(wake func()) *eventBox { return &eventBox{wake: wake, ready: make(chan struct{}, 1)} }

// receive puts all events of a script into the box.
func (m *eventBox) receive(s *stopped) {
	for e := range s.target.Events() {
		m.put(scriptEvent{s, e})
	}
}

func (m *eventBox) put(l scriptEvent) {
	m.mu.Lock()
	m.list = append(m.list, l)
	m.mu.Unlock()
	m.signal()
	m.wake()
}

// take returns the events and empties the box.
func (m *eventBox) take() []scriptEvent {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := m.list
	m.list = nil
	return list
}

// hasStop reports whether a script of another caller has stopped. The engine is blocked until that
// script is resumed.
func (m *eventBox) hasStop() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, l := range m.list {
		if _, stopped := l.event.(debugger.Stopped); stopped {
			return true
		}
	}
	return false
}

// signal puts a token into ready.
func (m *eventBox) signal() {
	select {
	case m.ready <- struct{}{}:
	default:
	}
}
