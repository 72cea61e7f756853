package repl

import (
	"sync"

	"github.com/redmoon-lua/redmoon/debugger"
)

// letter is an event of a script.
type letter struct {
	from  *stopped
	event debugger.Event
}

// mailbox holds the events of all scripts, in the order in which they came, until the dialogue takes them.
type mailbox struct {
	wake  func()        // has the dialogue look here while a line is typed
	ready chan struct{} // holds a token while there are letters
	mu    sync.Mutex
	list  []letter
}

func newMailbox(wake func()) *mailbox { return &mailbox{wake: wake, ready: make(chan struct{}, 1)} }

// receive puts a script's events into the mailbox until its last.
func (m *mailbox) receive(s *stopped) {
	for e := range s.target.Events() {
		m.put(letter{s, e})
	}
}

func (m *mailbox) put(l letter) {
	m.mu.Lock()
	m.list = append(m.list, l)
	m.mu.Unlock()
	m.again()
	m.wake()
}

// take empties the mailbox.
func (m *mailbox) take() []letter {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := m.list
	m.list = nil
	return list
}

// held reports whether somebody else's script has stopped: the engine does nothing until that goes on.
func (m *mailbox) held() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, l := range m.list {
		if _, stopped := l.event.(debugger.Stopped); stopped {
			return true
		}
	}
	return false
}

// again puts the token back, for who looks next.
func (m *mailbox) again() {
	select {
	case m.ready <- struct{}{}:
	default:
	}
}
