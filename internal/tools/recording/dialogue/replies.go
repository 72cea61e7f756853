package dialogue

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/quoting"
	"github.com/redmoon-lua/redmoon/internal/tools/recording"
)

// frame is the frame that the server is sending.
type frame struct {
	scan   scanner
	begun  bool
	class  class
	topic  int    // of a confirmation
	begins bool   // the confirmation is that of a subscription
	kept   []byte // bytes that have not been passed on; of a complete reply, its last piece
}

// class says what a frame is.
type class uint8

const (
	unknown  class = iota // more bytes are needed
	reply                 // to the oldest request
	confirms              // one of the confirmations of the oldest request
	push
)

// long is what is known of a reply of which pieces have been passed on.
type long struct {
	size int64
	sum  hash.Hash // nil: all of it has been passed on
}

// Server takes bytes that the server has sent.
func (d *Dialogue) Server(b []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := &d.frame
	for len(b) > 0 && !d.unparsed {
		if !f.begun {
			f.scan.reset()
			f.begun, f.class, f.kept = true, unknown, f.kept[:0]
		}
		n, done, err := f.scan.feed(b)
		f.kept = append(f.kept, b[:n]...)
		b = b[n:]
		if err != nil {
			d.stop("the server has sent what is not a reply")
			return
		}
		if f.class == unknown {
			if d.classify(done); d.unparsed {
				return
			}
		}
		switch f.class {
		case reply, confirms:
			d.passReply(done)
		case push:
			d.passPush(done)
		}
		f.begun = !done
	}
}

// classify finds out what the frame is, if enough of it has come.
func (d *Dialogue) classify(done bool) {
	f := &d.frame
	if !done && d.needsMore() {
		return
	}
	f.class = d.classOf()
	if f.class == push {
		return
	}
	for len(d.waiting) > 0 && d.state.silent(&d.waiting[0]) && !d.answersReplyCommand() {
		d.skipSilent()
	}
	if len(d.waiting) == 0 {
		f.class = push // an error before the connection is closed, for example
		return
	}
	p := &d.waiting[0]
	takesOver := p.name == "SYNC" || p.name == "PSYNC" ||
		d.state.debugNext && (p.name == "EVAL" || p.name == "EVAL_RO")
	if takesOver && f.scan.mark != '-' && f.class == reply {
		d.stop(p.name)
	}
}

// needsMore reports whether the beginning of the frame that has come is too short to classify it.
func (d *Dialogue) needsMore() bool {
	f := &d.frame
	switch f.scan.mark {
	case '>':
		return !f.scan.firstOver
	case '*':
		return !f.scan.firstOver && (d.state.subscribed() && !d.state.resp3 || d.confirmable())
	case '+':
		return len(f.kept) < len(queued) &&
			(d.state.monitors || len(d.waiting) > 0 && d.waiting[0].name == "CLIENT")
	}
	return false
}

// queued is the beginning of the reply to a command in MULTI.
const queued = "+QUEUED"

// confirmable reports whether the next request with a reply gets confirmations.
func (d *Dialogue) confirmable() bool {
	_, _, ok := topic([]byte(d.nextName()))
	return ok
}

// answersReplyCommand reports whether the frame is the reply of a CLIENT REPLY OFF or SKIP that has
// failed or was queued.
func (d *Dialogue) answersReplyCommand() bool {
	p := &d.waiting[0]
	if p.name != "CLIENT" || d.state.replyOff || d.state.skipNext {
		return false
	}
	return d.frame.scan.mark == '-' && len(d.waiting) == 1 ||
		bytes.HasPrefix(d.frame.kept, []byte(queued))
}

// classOf returns the class of the frame, from its beginning.
func (d *Dialogue) classOf() class {
	f := &d.frame
	switch f.scan.mark {
	case '+':
		if d.state.monitors && len(f.kept) > 1 && f.kept[1] >= '0' && f.kept[1] <= '9' {
			return push
		}
	case '>', '*':
		var ok bool
		if f.topic, f.begins, ok = topic(f.scan.first); ok &&
			strings.EqualFold(d.nextName(), string(f.scan.first)) {
			return confirms
		}
		if f.scan.mark == '>' ||
			d.state.subscribed() && !d.state.resp3 && (isMessage(f.scan.first) || ok) {
			return push
		}
	}
	return reply
}

// passReply passes on what has come of a reply.
func (d *Dialogue) passReply(done bool) {
	f := &d.frame
	p := &d.waiting[0]
	last := done
	if done && f.class == confirms {
		p.heard++
		last = p.heard >= d.state.wanted(p, f.topic, f.begins)
		d.state.confirm(f.topic, f.begins, f.scan.number)
	}
	if !p.hide && !d.passRedacted(p, done) {
		d.passBytes(p.n, last)
	} else if p.hide {
		f.kept = f.kept[:min(len(f.kept), 16)]
	}
	if !last {
		return
	}
	if p.hide {
		d.sink.HiddenReply(p.n)
	}
	d.learn(p, f.scan.mark)
	d.long = long{}
	d.pop()
}

// passRedacted passes on the error reply of a request that has passwords: Redis repeats wrong
// arguments in the text. It returns false if the reply is another one.
func (d *Dialogue) passRedacted(p *pending, done bool) bool {
	f := &d.frame
	if len(p.secrets) == 0 || f.scan.mark != '-' {
		return false
	}
	if !done {
		if len(f.kept) > maxInline {
			p.hide = true
		}
		return true
	}
	text := string(f.kept)
	for _, s := range p.secrets {
		if shows(text, s) {
			code, _, _ := strings.Cut(strings.TrimRight(text, "\r\n"), " ")
			if shows(code, s) {
				code = "-ERR"
			}
			f.kept = append(f.kept[:0], code+" "+recording.Redacted+"\r\n"...)
			break
		}
	}
	d.passBytes(p.n, true)
	return true
}

// passBytes passes on the bytes of a reply that are kept.
func (d *Dialogue) passBytes(n int64, last bool) {
	f := &d.frame
	l := &d.long
	piece, limit := f.kept, d.o.MaxReply
	if limit > 0 && l.sum == nil && (l.size+int64(len(piece)) > limit || !last) {
		if l.size == 0 {
			l.sum = sha256.New()
		}
	}
	l.size += int64(len(piece))
	var cut *recording.Cut
	if l.sum != nil {
		l.sum.Write(piece)
		if over := l.size - limit; over > 0 {
			piece = piece[:max(0, int64(len(piece))-over)]
			if last {
				cut = &recording.Cut{Size: l.size, SHA256: hex.EncodeToString(l.sum.Sum(nil))}
			}
		}
	}
	if last || len(piece) > 0 {
		d.sink.Reply(n, piece, !last, cut)
	}
	f.keep(last)
}

// keep forgets the bytes that have been passed on, except of a complete frame.
func (f *frame) keep(last bool) {
	if !last {
		f.kept = f.kept[:0]
	}
	if cap(f.kept) > 256<<10 {
		f.kept = nil
	}
}

// passPush passes on what has come of a push.
func (d *Dialogue) passPush(done bool) {
	f := &d.frame
	if d.state.monitors && f.scan.mark == '+' {
		if !done && len(f.kept) <= maxInline {
			return
		}
		if done && !d.o.Secrets {
			f.kept = d.redactMonitored(f.kept)
		}
	}
	d.sink.Push(f.kept, !done)
	f.keep(done)
}

// redactMonitored hides the passwords in a line of MONITOR. Redis does so itself since 6.2.
func (d *Dialogue) redactMonitored(line []byte) []byte {
	at := bytes.Index(line, []byte(`] "`))
	if at < 0 {
		return line
	}
	words, ok := quoting.AppendWords(nil, bytes.TrimRight(line[at+2:], "\r\n"), false)
	if !ok {
		return line
	}
	args := make([]recording.Arg, len(words))
	for i, w := range words {
		args[i].Text = w
	}
	if secrets, _ := redact(d.table, args); len(secrets) == 0 {
		return line
	}
	out := append([]byte(nil), line[:at+1]...)
	for _, a := range args {
		if a.Redacted {
			a.Text = recording.Redacted
		}
		out = quoting.Append(append(out, ' '), a.Text)
	}
	return append(out, "\r\n"...)
}
