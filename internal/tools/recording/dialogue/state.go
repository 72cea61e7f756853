package dialogue

import "bytes"

// state is what the server's replies have shown about the connection.
type state struct {
	resp3     bool
	monitors  bool
	topics    [3]int // subscriptions: channels, patterns, shard channels
	total     int64  // the last total of channels and patterns
	replyOff  bool   // CLIENT REPLY OFF
	skipNext  bool   // CLIENT REPLY SKIP
	debugNext bool   // SCRIPT DEBUG: the next EVAL takes the connection over
}

// subscribed reports whether messages may come.
func (s *state) subscribed() bool { return s.topics[0]+s.topics[1]+s.topics[2] > 0 }

// topic returns the kind of topics that a name such as SUBSCRIBE is about, and whether it begins or
// ends subscriptions. ok is false for other names.
func topic(name []byte) (kind int, begins, ok bool) {
	switch string(bytes.ToUpper(name)) {
	case "SUBSCRIBE":
		return 0, true, true
	case "PSUBSCRIBE":
		return 1, true, true
	case "SSUBSCRIBE":
		return 2, true, true
	case "UNSUBSCRIBE":
		return 0, false, true
	case "PUNSUBSCRIBE":
		return 1, false, true
	case "SUNSUBSCRIBE":
		return 2, false, true
	}
	return 0, false, false
}

// isMessage reports whether the first element of an array of RESP2 is that of a message.
func isMessage(first []byte) bool {
	switch string(first) {
	case "message", "pmessage", "smessage":
		return true
	}
	return false
}

// confirm notes a confirmation, whose last element is total.
func (s *state) confirm(kind int, begins bool, total int64) {
	if kind == 2 {
		s.topics[2] = int(total)
		return
	}
	switch {
	case begins && total > s.total:
		s.topics[kind]++
	case !begins && total < s.total:
		s.topics[kind] = max(0, s.topics[kind]-1)
	}
	s.total = total
}

// wanted returns the number of confirmations that a request gets. The last of those that have come
// is not noted yet.
func (s *state) wanted(p *pending, kind int, begins bool) int {
	if begins || p.args > 1 {
		return p.args - 1
	}
	return max(1, s.topics[kind]+p.heard-1)
}

// silent reports whether a request has no reply because of CLIENT REPLY.
func (s *state) silent(p *pending) bool {
	if p.name == "CLIENT" && p.args == 3 {
		switch p.sub {
		case "REPLY ON":
			return false
		case "REPLY OFF", "REPLY SKIP":
			return true
		}
	}
	return s.replyOff || s.skipNext
}

// mute notes that a request had no reply.
func (s *state) mute(p *pending) {
	s.skipNext = false
	if p.name == "CLIENT" {
		switch p.sub {
		case "REPLY OFF":
			s.replyOff = true
		case "REPLY SKIP":
			s.skipNext = !s.replyOff
		}
	}
}

// nextName returns the name of the oldest request that has a reply, or "".
func (d *Dialogue) nextName() string {
	s := state{replyOff: d.state.replyOff, skipNext: d.state.skipNext}
	for i := range d.waiting {
		p := &d.waiting[i]
		if !s.silent(p) {
			return p.name
		}
		s.mute(p)
	}
	return ""
}

// skipSilent notes that the oldest request has no reply.
func (d *Dialogue) skipSilent() {
	p := d.waiting[0]
	d.state.mute(&p)
	d.pop()
	d.sink.Silent(p.n)
}

// pop removes the oldest request.
func (d *Dialogue) pop() {
	d.waiting[0] = pending{}
	if d.waiting = d.waiting[1:]; len(d.waiting) == 0 {
		d.waiting = nil
	}
}

// learn notes what the reply to a request says about the connection. mark is its first byte.
func (d *Dialogue) learn(p *pending, mark byte) {
	if mark == '-' {
		return
	}
	s := &d.state
	switch p.name {
	case "HELLO":
		s.resp3 = mark == '%' || s.resp3 && mark != '*'
	case "RESET":
		*s = state{}
	case "EXEC":
		if p.subscribes && mark != '_' {
			s.topics[0]++
		}
	case "MONITOR":
		s.monitors = s.monitors || string(d.frame.scan.line) == "+OK\r\n"
	case "CLIENT":
		if p.sub == "REPLY ON" {
			s.replyOff, s.skipNext = false, false
		}
	case "SCRIPT":
		switch p.sub {
		case "DEBUG YES", "DEBUG SYNC":
			s.debugNext = true
		case "DEBUG NO":
			s.debugNext = false
		}
	}
}
