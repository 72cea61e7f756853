package replay

import (
	"crypto/sha1"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/recording"
	"github.com/redmoon-lua/redmoon/internal/recording/dialogue"
)

// request is a recorded request with its reply.
type request struct {
	n        int64
	line     int64 // number of its line
	at       time.Duration
	args     []string
	redacted []int

	over      bool // the reply is known, or there is none
	begun     bool // the first byte of the reply has come
	silent    bool
	hidden    bool
	replyLine int64 // of the first line of the reply; of a silent request, of the line that says so
	replyAt   time.Duration
	want      want
}

// name returns the name of the command in upper case.
func (r *request) name() string { return strings.ToUpper(r.args[0]) }

// op is what runs as one step: a command, or a transaction from MULTI to EXEC.
//
// Lines give the order: the server has run the op after the line sent and before the line replied.
type op struct {
	c        *client
	kind     opKind
	requests []*request
	multi    bool // a transaction

	sent, replied int64
	sentAt        time.Duration
	repliedAt     time.Duration
	prefer        int64 // the order in which ops run if nothing speaks against it
	resolved      bool  // the replies are known, and so is all below
	done          bool

	facts  facts // of the command; of a transaction, those of its commands together
	skip   Reason
	steps  []step // what is tried
	access access
	abort  bool // an EXEC that has failed because of a watched key

	found   found // how it was tried; the zero value: it was not
	started bool  // it has been sent to the engine, and may wait there
}

// step is one command that an op runs.
type step struct {
	request   *request
	args      []string
	db, proto int
	facts     facts
	want      *want  // nil: the reply is not compared
	forced    string // the reply to args, which are not what was recorded but have the effect that was recorded
}

// opKind says what an op is.
type opKind uint8

const (
	runs   opKind = iota // a command or a transaction
	opens                // a client connects
	closes               // a connection ends
)

// last returns the request that makes the op run.
func (o *op) last() *request { return o.requests[len(o.requests)-1] }

// script returns what identifies the script or function of a step, or "".
func (s *step) script() string {
	if len(s.args) < 2 || s.facts.spec == nil {
		return ""
	}
	switch s.facts.spec.Runs {
	case cmdtable.RunsSource:
		return shaOf(s.args[1])
	case cmdtable.RunsSHA:
		return strings.ToLower(s.args[1])
	case cmdtable.RunsFunction:
		return "function " + s.args[1]
	}
	return ""
}

func shaOf(text string) string {
	sum := sha1.Sum([]byte(text))
	return hex.EncodeToString(sum[:])
}

// client is a recorded connection.
type client struct {
	id   int64
	addr string

	// As far as the replies that are known show.
	db    int
	proto int

	waiting []*request // requests whose reply is not known, oldest first
	ops     []*op      // that have not run, oldest first
	open    *op        // a transaction that has begun and not ended
	gone    bool       // the connection has ended
	index   int        // in window.heads; -1: not there

	last int64 // op.prefer of the last op that is resolved

	conn   *engineConn
	pushes pushes
}

// request takes a request.
func (c *client) request(ev recording.Event) *op {
	r := &request{n: ev.N, line: ev.Seq, at: ev.At, args: ev.Args, redacted: ev.Redacted}
	c.waiting = append(c.waiting, r)
	var whole *op
	if whole, c.open = c.join(c.open, r); whole != nil {
		c.ops = append(c.ops, whole)
	}
	return whole
}

// join adds a request to a transaction that is open, or begins an op. It returns the op whose
// requests are known now, if any, and the transaction that is open then.
func (c *client) join(open *op, r *request) (whole, still *op) {
	name := r.name()
	if open == nil {
		open = &op{c: c, requests: []*request{r}}
		if name == "MULTI" {
			open.multi = true
			return nil, open
		}
		return open.complete(), nil
	}
	open.requests = append(open.requests, r)
	if name != "EXEC" && name != "DISCARD" && name != "RESET" && name != "QUIT" {
		return nil, open
	}
	return open.complete(), nil
}

// complete notes when an op was sent. Its requests are known.
func (o *op) complete() *op {
	last := o.last()
	o.sent, o.sentAt = last.line, last.at
	return o
}

// reply takes the reply to the oldest request, or that it has none. It returns the request.
func (c *client) reply(ev recording.Event) *request {
	r := c.waiting[0]
	if !r.begun {
		r.begun, r.replyLine, r.replyAt = true, ev.Seq, ev.At
	}
	if ev.Kind == recording.ReplyBegins {
		return nil
	}
	c.waiting = c.waiting[1:]
	r.over, r.silent, r.hidden = true, ev.Kind == recording.Silent, ev.Hidden
	r.want = want{raw: ev.Raw}
	if ev.Cut != nil {
		r.want.cut, r.want.size, r.want.sha256 = true, ev.Cut.Size, ev.Cut.SHA256
	}
	return r
}

// resolve prepares an op whose replies are known. The ops before it on its connection have been
// resolved.
func (o *op) resolve(table *cmdtable.Table) {
	last := o.last()
	o.resolved = true
	o.replied, o.repliedAt = last.replyLine, last.replyAt
	o.prefer = o.replied
	if last.silent {
		o.prefer = o.sent
	}
	o.prefer = max(o.prefer, o.c.last) // the ops of a connection run in their order
	o.c.last = o.prefer
	if o.multi {
		o.resolveMulti(table)
	} else {
		o.resolvePlain(table)
	}
	for i := range o.steps {
		o.access.add(&o.steps[i])
	}
}

func (o *op) resolvePlain(table *cmdtable.Table) {
	r := o.last()
	o.facts = factsOf(table, r.args)
	s := step{request: r, args: r.args, db: o.c.db, proto: o.c.proto, facts: o.facts}
	if !r.silent {
		s.want = &r.want
	}
	o.skip = o.reasonToSkip(r)
	s.force()
	o.steps = []step{s}
	o.c.follow(r.args, &r.want)
	if o.facts.spec != nil && o.facts.spec.Name == "watch" {
		for _, key := range r.args[1:] {
			o.access.keys = append(o.access.keys, use{db: s.db, key: key})
		}
	}
}

// reasonToSkip returns why a command does not run in the replay, or "".
func (o *op) reasonToSkip(r *request) Reason {
	switch {
	case r.name() == "CLIENT" && len(r.args) > 1 && strings.EqualFold(r.args[1], "REPLY"):
		return ReplyMode
	case r.hidden, len(r.redacted) > 0 && !o.canRunRedacted(r):
		return Hidden
	case isRefusal(r.want.raw), isKilled(r.want.raw), r.name() == "MULTI" && r.want.isError():
		return ByRefusal
	case o.facts.withheld:
		return Withheld
	}
	return ""
}

// canRunRedacted reports whether a request can run without its passwords. AUTH cannot, and need
// not: each connection of a replay may do everything, and what a user was refused does not run.
func (o *op) canRunRedacted(r *request) bool {
	if r.want.isError() {
		return false
	}
	switch r.name() {
	case "HELLO", "ACL":
		return true
	}
	return false
}

// resolveMulti prepares a transaction. Its steps are those commands that EXEC has run.
func (o *op) resolveMulti(table *cmdtable.Table) {
	last := o.last()
	exec := last.name() == "EXEC"
	elements, ran := dialogue.Elements(last.want.raw)
	o.abort = exec && last.want.isNil()
	queued := o.requests[1 : len(o.requests)-1]
	for _, r := range o.requests[:len(o.requests)-1] {
		if r.hidden || len(r.redacted) > 0 {
			o.skip = Hidden
		}
		if isRefusal(r.want.raw) {
			o.skip = ByRefusal
		}
	}
	if last.hidden {
		o.skip = Hidden
	}
	var list []*request
	for _, r := range queued {
		f := factsOf(table, r.args)
		o.facts.writes = o.facts.writes || f.writes
		o.facts.script = o.facts.script || f.script
		if f.withheld && exec {
			o.skip = Withheld
		}
		if strings.HasPrefix(r.want.raw, "+QUEUED") || r.silent {
			list = append(list, r)
		}
	}
	o.facts.data = true
	if !exec || !ran && !last.silent && !o.abort {
		return // DISCARD, or an EXEC that has failed
	}
	for i, r := range list {
		s := step{
			request: r,
			args:    r.args,
			db:      o.c.db,
			proto:   o.c.proto,
			facts:   factsOf(table, r.args),
		}
		if ran && i < len(elements) {
			s.want = &want{raw: elements[i]}
			o.c.follow(r.args, s.want)
		}
		s.force()
		o.steps = append(o.steps, s)
	}
}

// follow notes what a command has changed in the connection.
func (c *client) follow(args []string, w *want) {
	if w.isError() {
		return
	}
	switch strings.ToUpper(args[0]) {
	case "SELECT":
		if n, err := strconv.Atoi(args[len(args)-1]); err == nil && len(args) == 2 && n >= 0 {
			c.db = n
		}
	case "HELLO":
		if len(args) > 1 {
			switch args[1] {
			case "2":
				c.proto = 2
			case "3":
				c.proto = 3
			}
		}
	case "RESET":
		c.db, c.proto = 0, 2
	}
}

// force replaces a command whose effect chance has decided by one that has the recorded effect:
// SPOP by SREM of the members that it has returned, which is also what Redis sends its replicas.
func (s *step) force() {
	if s.want == nil || s.facts.spec == nil || s.facts.spec.Name != "spop" || len(s.args) < 2 {
		return
	}
	v, err := s.want.decode()
	if err != nil || v.IsError() || v.IsNil() {
		return
	}
	members := v.Strings()
	if v.Len() == 0 {
		if strings.HasPrefix(s.want.raw, "*") || strings.HasPrefix(s.want.raw, "~") {
			return // nothing was popped
		}
		members = []string{v.Text()}
	}
	s.args = append([]string{"SREM", s.args[1]}, members...)
	s.forced = ":" + strconv.Itoa(len(members)) + "\r\n"
}
