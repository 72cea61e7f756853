package replay

// Requests, and the operations that they make: commands and transactions.

import (
	"crypto/sha1"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/tools/recording"
	"github.com/redmoon-lua/redmoon/internal/tools/recording/dialogue"
)

// request is a recorded request with its reply.
type request struct {
	number   int64
	line     int64 // number of its line
	at       time.Duration
	args     []string
	redacted []int

	finished  bool // the reply is known, or there is none
	begun     bool // the first byte of the reply has come
	silent    bool
	hidden    bool
	replyLine int64 // of the first line of the reply; of a silent request, of the line that says so
	replyAt   time.Duration
	want      want
}

// name returns the name of the command in upper case.
func (q *request) name() string { return strings.ToUpper(q.args[0]) }

// operation is what runs as one step: a command, or a transaction from MULTI to EXEC.
//
// Lines give the order: the server has run the operation after the line sent and before the line
// replied.
type operation struct {
	client   *client
	kind     operationKind
	requests []*request
	multi    bool // a transaction

	sent, replied int64
	sentAt        time.Duration
	repliedAt     time.Duration
	preferredLine int64 // operations run in the order of these lines if nothing speaks against it
	resolved      bool  // the replies are known, and so is all below
	done          bool

	facts  facts // of the command; of a transaction, those of its commands together
	skip   Reason
	steps  []step // what is tried
	access access
	abort  bool // an EXEC that has failed because of a watched key

	placement placement // how it was tried; the zero value: it was not
	started   bool      // it has been sent to the engine, and may wait there
}

// step is one command that an operation runs.
type step struct {
	request   *request
	args      []string
	db, proto int
	facts     facts
	want      *want // nil: the reply is not compared
	// substituteReply is the reply to args if they are not the recorded ones but have their effect; ""
	// if they are the recorded ones.
	substituteReply string
}

// operationKind says what an operation is.
type operationKind uint8

const (
	runsCommands     operationKind = iota // a command or a transaction
	opensConnection                       // a client connects
	closesConnection                      // a connection ends
)

// last returns the request that makes the operation run.
func (o *operation) last() *request { return o.requests[len(o.requests)-1] }

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

// shaOf returns the SHA1 by which Redis knows a script.
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

	waiting    []*request   // requests whose reply is not known, oldest first
	operations []*operation // that have not run, oldest first
	open       *operation   // a transaction that has begun and not ended
	gone       bool         // the connection has ended
	index      int          // in window.heads; -1: not there

	last int64 // operation.preferredLine of the last operation that is resolved

	conn   *engineConn
	pushes pushes
}

// request takes a request.
func (c *client) request(ev recording.Event) *operation {
	q := &request{number: ev.N, line: ev.Seq, at: ev.At, args: ev.Args, redacted: ev.Redacted}
	c.waiting = append(c.waiting, q)
	var whole *operation
	if whole, c.open = c.join(c.open, q); whole != nil {
		c.operations = append(c.operations, whole)
	}
	return whole
}

// join adds a request to a transaction that is open, or begins an operation. It returns the
// operation whose requests are known now, if any, and the transaction that is open then.
func (c *client) join(open *operation, q *request) (whole, still *operation) {
	name := q.name()
	if open == nil {
		open = &operation{client: c, requests: []*request{q}}
		if name == "MULTI" {
			open.multi = true
			return nil, open
		}
		return open.complete(), nil
	}
	open.requests = append(open.requests, q)
	if name != "EXEC" && name != "DISCARD" && name != "RESET" && name != "QUIT" {
		return nil, open
	}
	return open.complete(), nil
}

// complete notes when an operation was sent. Its requests are known.
func (o *operation) complete() *operation {
	last := o.last()
	o.sent, o.sentAt = last.line, last.at
	return o
}

// reply takes the reply to the oldest request, or that it has none. It returns the request.
func (c *client) reply(ev recording.Event) *request {
	q := c.waiting[0]
	if !q.begun {
		q.begun, q.replyLine, q.replyAt = true, ev.Seq, ev.At
	}
	if ev.Kind == recording.ReplyBegins {
		return nil
	}
	c.waiting = c.waiting[1:]
	q.finished, q.silent, q.hidden = true, ev.Kind == recording.Silent, ev.Hidden
	q.want = want{raw: ev.Raw}
	if ev.Cut != nil {
		q.want.cut, q.want.size, q.want.sha256 = true, ev.Cut.Size, ev.Cut.SHA256
	}
	return q
}

// resolve prepares an operation whose replies are known. The operations before it on its connection
// have been resolved.
func (o *operation) resolve(table *cmdtable.Table) {
	last := o.last()
	o.resolved = true
	o.replied, o.repliedAt = last.replyLine, last.replyAt
	o.preferredLine = o.replied
	if last.silent {
		o.preferredLine = o.sent
	}
	o.preferredLine = max(o.preferredLine, o.client.last) // the operations of a connection run in their order
	o.client.last = o.preferredLine
	if o.multi {
		o.resolveMulti(table)
	} else {
		o.resolvePlain(table)
	}
	for i := range o.steps {
		o.access.add(&o.steps[i])
	}
}

// resolvePlain prepares a command.
func (o *operation) resolvePlain(table *cmdtable.Table) {
	q := o.last()
	o.facts = factsOf(table, q.args)
	s := step{request: q, args: q.args, db: o.client.db, proto: o.client.proto, facts: o.facts}
	if !q.silent {
		s.want = &q.want
	}
	o.skip = o.reasonToSkip(q)
	s.substitute()
	o.steps = []step{s}
	o.client.follow(q.args, &q.want)
	if o.facts.spec != nil && o.facts.spec.Name == "watch" {
		for _, key := range q.args[1:] {
			o.access.keys = append(o.access.keys, keyUse{db: s.db, key: key})
		}
	}
}

// reasonToSkip returns why a command does not run in the replay, or "".
func (o *operation) reasonToSkip(q *request) Reason {
	switch {
	case q.name() == "CLIENT" && len(q.args) > 1 && strings.EqualFold(q.args[1], "REPLY"):
		return ReplyMode
	case q.hidden, len(q.redacted) > 0 && !o.canRunRedacted(q):
		return Hidden
	case isRefusal(q.want.raw), isKilled(q.want.raw), q.name() == "MULTI" && q.want.isError():
		return ByRefusal
	case o.facts.withheld:
		return Withheld
	}
	return ""
}

// canRunRedacted reports whether a request can run without its passwords. AUTH cannot, and need
// not: each connection of a replay may do everything, and what a user was refused does not run.
func (o *operation) canRunRedacted(q *request) bool {
	if q.want.isError() {
		return false
	}
	switch q.name() {
	case "HELLO", "ACL":
		return true
	}
	return false
}

// resolveMulti prepares a transaction. Its steps are those commands that EXEC has run.
func (o *operation) resolveMulti(table *cmdtable.Table) {
	last := o.last()
	exec := last.name() == "EXEC"
	elements, ran := dialogue.Elements(last.want.raw)
	o.abort = exec && last.want.isNil()
	queued := o.requests[1 : len(o.requests)-1]
	for _, q := range o.requests[:len(o.requests)-1] {
		if q.hidden || len(q.redacted) > 0 {
			o.skip = Hidden
		}
		if isRefusal(q.want.raw) {
			o.skip = ByRefusal
		}
	}
	if last.hidden {
		o.skip = Hidden
	}
	var list []*request
	for _, q := range queued {
		f := factsOf(table, q.args)
		o.facts.writes = o.facts.writes || f.writes
		o.facts.script = o.facts.script || f.script
		if f.withheld && exec {
			o.skip = Withheld
		}
		if strings.HasPrefix(q.want.raw, "+QUEUED") || q.silent {
			list = append(list, q)
		}
	}
	o.facts.data = true
	if !exec || (!ran && !last.silent && !o.abort) {
		return // DISCARD, or an EXEC that has failed
	}
	for i, q := range list {
		s := step{
			request: q,
			args:    q.args,
			db:      o.client.db,
			proto:   o.client.proto,
			facts:   factsOf(table, q.args),
		}
		if ran && i < len(elements) {
			s.want = &want{raw: elements[i]}
			o.client.follow(q.args, s.want)
		}
		s.substitute()
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

// substitute replaces a command whose effect chance has decided by one that has the recorded
// effect: SPOP by SREM of the members that it has returned, which is also what Redis sends its
// replicas.
func (s *step) substitute() {
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
	s.substituteReply = ":" + strconv.Itoa(len(members)) + "\r\n"
}
