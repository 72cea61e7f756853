package difftest

import (
	"bufio"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/resp"
)

// waitSession is a session of a side. A goroutine reads its replies as they come.
type waitSession struct {
	conn net.Conn
	id   string
	cmds [][]string // sent, one reply each

	mu    sync.Mutex
	got   [][]byte
	ended bool
}

// replies are the replies so far, and whether there will be no more.
func (s *waitSession) replies() ([][]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.got[:len(s.got):len(s.got)], s.ended
}

func (s *waitSession) read(r *bufio.Reader) {
	for {
		raw, err := readFrame(r, nil)
		s.mu.Lock()
		if s.ended = err != nil; !s.ended {
			s.got = append(s.got, raw)
		}
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// waitSide is the oracle or Redmoon, with sessions that wait.
type waitSide struct {
	addr     string
	probe    *NetConn // asks which clients wait
	sessions []*waitSession
	events   *waitSession // receives every keyspace event
}

func newWaitSide(addr string) (*waitSide, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	w := &waitSide{addr: addr, probe: NewNetConn(c)}
	if raw, err := w.probe.Do([]string{"CONFIG", "SET", "notify-keyspace-events", "KEA"}); err != nil || raw[0] != '+' {
		return nil, fmt.Errorf("CONFIG SET: %q %w", raw, err)
	}
	if c, err = net.Dial("tcp", addr); err != nil {
		return nil, err
	}
	n := NewNetConn(c)
	if _, err := n.Do([]string{"PSUBSCRIBE", "__keyevent@*"}); err != nil {
		return nil, err
	}
	if err := c.SetDeadline(time.Time{}); err != nil {
		return nil, err
	}
	w.events = &waitSession{conn: c}
	go w.events.read(n.r)
	return w, nil
}

// news returns the events since the last forget.
func (w *waitSide) news() [][]byte {
	got, _ := w.events.replies()
	return got
}

func (s *waitSession) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = nil
}

// open opens session i.
func (w *waitSide) open(i, proto int) error {
	c, err := net.Dial("tcp", w.addr)
	if err != nil {
		return err
	}
	n := NewNetConn(c)
	if raw, err := n.Do([]string{"HELLO", strconv.Itoa(proto)}); err != nil || raw[0] == '-' {
		return fmt.Errorf("HELLO %d: %q %w", proto, raw, err)
	}
	raw, err := n.Do([]string{"CLIENT", "ID"})
	if err != nil {
		return err
	}
	if err := c.SetDeadline(time.Time{}); err != nil {
		return err
	}
	s := &waitSession{conn: c, id: strings.Trim(string(raw), ":\r\n")}
	w.sessions[i] = s
	go s.read(n.r)
	return nil
}

// send sends commands in one piece over session i. In them @id:N stands for the id of session N.
func (w *waitSide) send(i int, cmds [][]string) error {
	s := w.sessions[i]
	var raw []byte
	for _, args := range cmds {
		args := append([]string(nil), args...)
		for k, a := range args {
			if n, ok := idOf(a); ok {
				args[k] = w.sessions[n].id
			}
		}
		raw = resp.AppendCommand(raw, args...)
	}
	s.cmds = append(s.cmds, cmds...)
	if err := s.conn.SetWriteDeadline(patience.Deadline()); err != nil {
		return err
	}
	if _, err := s.conn.Write(raw); err != nil && !isClosed(err) {
		return err
	}
	return nil
}

// idOf reads the number of a session in the word that stands for its id.
func idOf(a string) (session int, ok bool) {
	name, ok := strings.CutPrefix(a, "@id:")
	if !ok {
		return 0, false
	}
	return int(name[0] - 'a'), true
}

// waitState is the state of a session.
type waitState struct {
	open, waits, ended bool
	got                [][]byte
}

// look asks once how the sessions are. It reports false while a reply is still to come.
func (w *waitSide) look() (states []waitState, quiet bool, err error) {
	states = make([]waitState, len(w.sessions))
	for i, s := range w.sessions { // before the list is asked for, which is then not older than these replies
		if s != nil {
			states[i].open = true
			states[i].got, states[i].ended = s.replies()
		}
	}
	raw, err := w.probe.Do([]string{"CLIENT", "LIST"})
	if err != nil {
		return nil, false, err
	}
	flags := map[string]string{}
	for line := range strings.SplitSeq(string(raw), "\n") {
		if rest, ok := strings.CutPrefix(line, "id="); ok {
			id, rest, _ := strings.Cut(rest, " ")
			_, rest, _ = strings.Cut(rest, " flags=")
			flags[id], _, _ = strings.Cut(rest, " ")
		}
	}
	quiet = true
	for i, s := range w.sessions {
		if s == nil {
			continue
		}
		st := &states[i]
		f, listed := flags[s.id]
		st.waits = strings.Contains(f, "b")
		switch {
		case st.ended || !listed || strings.ContainsAny(f, "cA"):
			quiet = quiet && st.ended && !listed
		case !st.waits:
			quiet = quiet && len(st.got) == len(s.cmds)
		}
	}
	return states, quiet, nil
}

// countOpen polls until no more replies are expected. It returns the states then.
func (w *waitSide) countOpen() (states []waitState, err error) {
	for quiet, end := false, patience.After(); !quiet; {
		if states, quiet, err = w.look(); err != nil {
			return nil, err
		}
		select {
		case <-end:
			return nil, fmt.Errorf("not quiet: %v", states)
		default:
		}
	}
	return states, err
}

// drop closes the connection of session i. It returns when the side has removed the client.
func (w *waitSide) drop(i int) error {
	s := w.sessions[i]
	s.conn.Close()
	w.sessions[i] = nil
	for {
		raw, err := w.probe.Do([]string{"CLIENT", "LIST", "ID", s.id})
		if err != nil || !strings.Contains(string(raw), "id="+s.id+" ") {
			return err
		}
	}
}

// reset drops all sessions and empties the keyspace; from then on there are n sessions, to be
// opened.
func (w *waitSide) reset(n int) error {
	for i, s := range w.sessions {
		if s != nil {
			if err := w.drop(i); err != nil {
				return err
			}
		}
	}
	w.sessions = make([]*waitSession, n)
	raw, err := w.probe.Do([]string{"FLUSHALL"})
	if err == nil && raw[0] != '+' {
		err = fmt.Errorf("FLUSHALL: %q", raw)
	}
	return err
}
