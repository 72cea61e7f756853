package replay

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/internal/recording/dialogue"
	"github.com/redmoon-lua/redmoon/reply"
)

// next runs an op, which is the next one in the preferred order, and those that must run before it
// or are decided together with it.
func (r *replayer) next(o *op) error {
	if o.started && o.c.conn.waits() && !o.last().want.isNil() {
		if other := r.w.second(); other != nil && overlap(o, other) {
			return r.runOne(other) // perhaps that serves it
		}
	}
	return r.runOne(o)
}

// runOne runs an op, with those that are decided together with it.
func (r *replayer) runOne(o *op) error {
	if o.started || !o.tried() {
		return r.execute(o)
	}
	if r.hasRivals(o) {
		ops, times, err := r.order(o)
		if err != nil {
			return err
		}
		if len(ops) > 0 {
			return r.executeAll(o, ops, times)
		}
	}
	err := r.try(func(t *trial) {
		if f, ok := t.attempt(o, max(r.now(), r.micros(o.sentAt))); ok {
			o.found = f
		}
	})
	if err != nil {
		return err
	}
	return r.execute(o)
}

// executeAll runs ops in an order that was found.
func (r *replayer) executeAll(o *op, ops []*op, times []found) error {
	progress := false
	for i, x := range ops {
		if x.started && x.c.conn.waits() {
			if !x.tried() {
				continue // nothing in the order serves it: WAIT, for example
			}
			if !progress {
				return r.execute(o)
			}
			return nil // what serves it has not run
		}
		progress = true
		x.found = times[i]
		if x.prefer > o.prefer && !o.done {
			r.report.Overtaken++
		}
		if err := r.execute(x); err != nil {
			return err
		}
		if !x.done {
			return nil // it waits for another one
		}
	}
	return nil
}

// execute runs an op on the engine and compares its replies.
func (r *replayer) execute(o *op) error {
	c := o.c
	switch o.kind {
	case opens:
		r.report.Connections++
		r.unseen = slices.DeleteFunc(r.unseen, func(n int64) bool { return n == c.id })
		var err error
		c.conn, err = r.conns.open(c)
		r.w.ran(o)
		return err
	case closes:
		r.settle(c)
		r.w.ran(o)
		return nil
	}
	r.report.Duration = max(r.report.Duration, o.repliedAt)
	if o.skip != "" {
		return r.skip(o)
	}
	if err := r.startWaiting(o); err != nil {
		return err
	}
	r.setClock(o)
	r.called.reset()
	r.report.Commands += len(o.requests)
	if o.multi {
		r.runMulti(o)
	} else {
		if !o.started {
			o.started = true
			c.conn.run(r.argsOf(o.last(), &o.steps[0])...)
		}
		if c.conn.waits() {
			if other := r.w.second(); o.facts.blocking && !o.last().want.isNil() && other != nil && overlap(o, other) {
				r.report.Commands--
				return nil // another op serves it; its turn comes again
			}
			if err := r.endWait(o); err != nil {
				return err
			}
		}
		r.compare(o, &o.steps[0], string(c.conn.reply))
	}
	r.after(o)
	return nil
}

// setClock sets the clock to the time at which an op runs.
func (r *replayer) setClock(o *op) {
	at := max(r.now(), r.micros(o.sentAt))
	if o.found.at != 0 {
		at = o.found.at
	}
	if o.started {
		at = max(r.now(), r.micros(o.repliedAt))
		if !o.last().want.isNil() {
			return // it has been served
		}
	}
	if r.o.Speed > 0 {
		due := r.began.Add(time.Duration(float64(o.repliedAt) / r.o.Speed))
		select {
		case <-time.After(time.Until(due)):
		case <-r.ctx.Done():
		}
	}
	r.clock.set(time.UnixMicro(at), r.slack)
	r.conns.collect()
}

// endWait ends the wait of a command, whose recorded reply has come.
func (r *replayer) endWait(o *op) error {
	r.clock.set(
		time.UnixMicro(max(r.now(), r.micros(o.repliedAt))),
		0,
	) // a time-out, or the end of CLIENT PAUSE
	r.conns.collect()
	if !o.c.conn.waits() {
		return nil
	}
	return o.c.conn.giveUp(r.ctx)
}

// after does what follows each op that has run.
func (r *replayer) after(o *op) {
	for i := range o.steps {
		r.taint(&o.steps[i], o.found.clock)
	}
	r.noteWide(o)
	for _, conn := range r.conns.pushed {
		p := &conn.owner.pushes
		p.receive(conn.inbox.pushed)
		conn.inbox.pushed = nil
	}
	r.conns.pushed = r.conns.pushed[:0]
	if !o.facts.blocking {
		r.slack = max(r.slack, min(o.repliedAt-o.sentAt, time.Second)+2*time.Millisecond)
	}
	if r.recent = append(r.recent, o); len(r.recent) > maxRecent {
		r.recent = slices.Delete(r.recent, 0, maxRecent/2)
	}
	r.w.ran(o)
}

// maxRecent is the number of ops that are kept for Difference.Overlaps.
const maxRecent = 64

// noteWide notes scripts that have used keys that they do not declare.
func (r *replayer) noteWide(o *op) {
	if !o.facts.script || len(o.steps) != 1 || o.access.global {
		return
	}
	declared := func(u use) bool {
		return slices.ContainsFunc(
			o.access.keys,
			func(k use) bool { return k.key == u.key && k.db == u.db },
		)
	}
	undeclared := func(u use) bool { return !declared(u) }
	if r.called.more || r.called.facts.global || slices.ContainsFunc(r.called.writes, undeclared) ||
		slices.ContainsFunc(r.called.reads, undeclared) {
		if name := o.steps[0].script(); name != "" {
			r.wide[name] = true
		}
	}
}

// runMulti runs a transaction.
func (r *replayer) runMulti(o *op) {
	conn := o.c.conn
	forced := map[*request]*step{}
	for i := range o.steps {
		forced[o.steps[i].request] = &o.steps[i]
	}
	last := o.last()
	for _, q := range o.requests {
		conn.run(r.argsOf(q, forced[q])...)
		if q == last {
			break
		}
		r.compare(o, &step{request: q, args: q.args, want: wantOf(q)}, string(conn.reply))
	}
	raw := string(conn.reply)
	got, ok := dialogue.Elements(raw)
	if len(o.steps) == 0 || !ok || len(got) != len(o.steps) || last.silent {
		r.compare(o, &step{request: last, args: last.args, want: wantOf(last)}, raw)
		return
	}
	for i := range o.steps {
		s := &o.steps[i]
		r.compare(o, s, got[i])
	}
}

func wantOf(q *request) *want {
	if q.silent {
		return nil
	}
	return &q.want
}

// argsOf returns what the engine runs for a request.
func (r *replayer) argsOf(q *request, s *step) []string {
	args := q.args
	if s != nil && s.forced != "" {
		return s.args
	}
	if len(q.redacted) > 0 {
		args = withoutPasswords(q)
	}
	if len(args) < 3 {
		return args
	}
	switch sub := strings.ToUpper(args[1]); q.name() {
	case "CLIENT":
		return r.clientArgs(sub, args)
	case "ACL":
		// All connections of a replay are those of this user, which may do everything.
		if sub == "SETUSER" && args[2] == "default" && !q.want.isError() {
			return args[:3]
		}
	}
	return args
}

// clientArgs returns what the engine runs for a CLIENT with a subcommand.
func (r *replayer) clientArgs(sub string, args []string) []string {
	args = slices.Clone(args)
	switch sub {
	case "PAUSE":
		// The commands that had to wait have their replies behind the pause, so they run there.
		if n, err := strconv.ParseInt(args[2], 10, 64); err == nil && n >= 0 {
			args[2] = "0"
		}
	case "KILL", "UNBLOCK", "TRACKING":
		for i := 2; i < len(args); i++ {
			if sub == "TRACKING" && !strings.EqualFold(args[i-1], "REDIRECT") {
				continue
			}
			if id, ok := r.ids[args[i]]; ok {
				args[i] = strconv.FormatInt(id, 10)
			}
		}
	}
	return args
}

// withoutPasswords returns a request that works without the passwords that were hidden: users of
// the engine need none.
func withoutPasswords(q *request) []string {
	args := slices.Clone(q.args)
	switch q.name() {
	case "HELLO":
		for i := 2; i+2 < len(args); i++ {
			if strings.EqualFold(args[i], "AUTH") && slices.Contains(q.redacted, i+2) {
				return slices.Delete(args, i, i+3)
			}
		}
	case "ACL":
		for _, i := range q.redacted {
			args[i] = "nopass"
		}
	}
	return args
}

// learnID notes the number of the recorded connection.
func (r *replayer) learnID(o *op, s *step) {
	if n, ok := recordedID(s); ok && o.c.conn != nil {
		r.ids[strconv.FormatInt(n, 10)] = o.c.conn.id
	}
}

// recordedID returns the number of the connection that a recorded reply shows: that of CLIENT ID or
// HELLO.
func recordedID(s *step) (int64, bool) {
	if s.want == nil || s.want.cut {
		return 0, false
	}
	name := strings.ToUpper(s.args[0])
	isID := name == "CLIENT" && len(s.args) == 2 && strings.EqualFold(s.args[1], "ID")
	if !isID && name != "HELLO" {
		return 0, false
	}
	v, err := s.want.decode()
	if err != nil {
		return 0, false
	}
	if fields, err := v.Map(); !isID && err == nil {
		v = fields["id"]
	}
	n, err := v.Int()
	return n, err == nil && v.Kind() == reply.KindInt
}

// skip counts an op that does not run.
func (r *replayer) skip(o *op) error {
	r.report.NotRun[o.skip] += len(o.requests)
	q := o.last()
	if q.name() == "MIGRATE" && strings.HasPrefix(q.want.raw, "+OK") &&
		!slices.ContainsFunc(q.args, isCopy) && o.steps[0].fits() {
		del := []string{"DEL"}
		for _, k := range o.facts.spec.FindKeys(q.args) {
			if key := q.args[k.Pos]; key != "" {
				del = append(del, key)
			}
		}
		if len(del) > 1 { // what MIGRATE does here
			o.c.conn.run(del...)
		}
	}
	r.w.ran(o)
	return nil
}

func isCopy(arg string) bool { return strings.EqualFold(arg, "COPY") }

// settle compares the pushes of a connection that has ended.
func (r *replayer) settle(c *client) {
	if c.conn != nil {
		c.conn.close()
		c.pushes.receive(c.conn.pushed)
		c.conn.pushed = nil
	}
	r.settlePushes(c)
}

// settlePushes compares the pushes of a connection.
func (r *replayer) settlePushes(c *client) {
	p := &c.pushes
	if p.settled {
		return
	}
	p.settled = true
	p.match()
	if p.off {
		r.report.Uncompared++
		return
	}
	p.settle()
	r.report.Pushes += p.same
	if p.monitor > 0 {
		r.report.Allowed[ByServer] += p.monitor
	}
	if r.o.To > 0 || len(r.filter) > 0 && !r.filter[c.id] {
		return // those behind the end are missing
	}
	for _, raw := range p.want {
		r.differs(Difference{Conn: c.id, Client: c.addr, Recorded: raw})
	}
	for _, raw := range p.got {
		r.differs(Difference{Conn: c.id, Client: c.addr, Got: raw})
	}
	p.forget()
}
