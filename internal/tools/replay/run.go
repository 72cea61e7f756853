package replay

// How an operation runs on the engine, and what follows when it has run.

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/internal/tools/recording/dialogue"
	"github.com/redmoon-lua/redmoon/reply"
)

// runNext runs an operation, which is the next one in the preferred order, and those that must run
// before it or are decided together with it.
func (r *replayer) runNext(o *operation) error {
	if o.started && o.client.conn.waits() && !o.last().want.isNil() {
		if other := r.window.nextOnOtherConnection(); other != nil && overlap(o, other) {
			return r.runOne(other) // perhaps that serves it
		}
	}
	return r.runOne(o)
}

// runOne runs an operation, with those that are decided together with it.
func (r *replayer) runOne(o *operation) error {
	if o.started || !o.isTried() {
		return r.execute(o)
	}
	if r.hasRivals(o) {
		operations, placements, err := r.findOrder(o)
		if err != nil {
			return err
		}
		if len(operations) > 0 {
			return r.executeAll(o, operations, placements)
		}
	}
	err := r.try(func(t *trial) {
		if p, ok := t.attempt(o, max(r.now(), r.micros(o.sentAt))); ok {
			o.placement = p
		}
	})
	if err != nil {
		return err
	}
	return r.execute(o)
}

// executeAll runs operations in an order that was found.
func (r *replayer) executeAll(o *operation, operations []*operation, placements []placement) error {
	progress := false
	for i, x := range operations {
		if x.started && x.client.conn.waits() {
			if !x.isTried() {
				continue // nothing in the order serves it: WAIT, for example
			}
			if !progress {
				return r.execute(o)
			}
			return nil // what serves it has not run
		}
		progress = true
		x.placement = placements[i]
		if x.preferredLine > o.preferredLine && !o.done {
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

// execute runs an operation on the engine and compares its replies.
func (r *replayer) execute(o *operation) error {
	c := o.client
	switch o.kind {
	case opensConnection:
		r.report.Connections++
		r.unseen = slices.DeleteFunc(r.unseen, func(n int64) bool { return n == c.id })
		var err error
		c.conn, err = r.conns.open(c)
		r.window.remove(o)
		return err
	case closesConnection:
		r.closeClient(c)
		r.window.remove(o)
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
	} else if waits, err := r.runCommand(o); waits || err != nil {
		return err
	}
	r.afterRun(o)
	return nil
}

// runCommand runs a command that is not in a transaction. It returns true if the command still
// waits: another operation serves it, and its turn comes again.
func (r *replayer) runCommand(o *operation) (waits bool, err error) {
	conn := o.client.conn
	if !o.started {
		o.started = true
		conn.run(r.argsOf(o.last(), &o.steps[0])...)
	}
	if conn.waits() {
		other := r.window.nextOnOtherConnection()
		if o.facts.blocking && !o.last().want.isNil() && other != nil && overlap(o, other) {
			r.report.Commands--
			return true, nil
		}
		if err := r.endWait(o); err != nil {
			return false, err
		}
	}
	r.compare(o, &o.steps[0], string(conn.reply))
	return false, nil
}

// setClock sets the clock to the time at which an operation runs.
func (r *replayer) setClock(o *operation) {
	at := max(r.now(), r.micros(o.sentAt))
	if o.placement.at != 0 {
		at = o.placement.at
	}
	if o.started {
		at = max(r.now(), r.micros(o.repliedAt))
		if !o.last().want.isNil() {
			return // it has been served
		}
	}
	if r.options.Speed > 0 {
		due := r.began.Add(time.Duration(float64(o.repliedAt) / r.options.Speed))
		select {
		case <-time.After(time.Until(due)):
		case <-r.ctx.Done():
		}
	}
	r.clock.set(time.UnixMicro(at), r.tolerance)
	r.conns.collect()
}

// endWait ends the wait of a command, whose recorded reply has come.
func (r *replayer) endWait(o *operation) error {
	// It waited for a time-out, or for the end of CLIENT PAUSE.
	r.clock.set(time.UnixMicro(max(r.now(), r.micros(o.repliedAt))), 0)
	r.conns.collect()
	if !o.client.conn.waits() {
		return nil
	}
	return o.client.conn.giveUp(r.ctx)
}

// afterRun does what follows each operation that has run.
func (r *replayer) afterRun(o *operation) {
	for i := range o.steps {
		r.noteVarying(&o.steps[i], o.placement.byClock)
	}
	r.noteUndeclaredKeys(o)
	for _, conn := range r.conns.pushed {
		p := &conn.owner.pushes
		p.receive(conn.inbox.pushed)
		conn.inbox.pushed = nil
	}
	r.conns.pushed = r.conns.pushed[:0]
	if !o.facts.blocking {
		r.tolerance = max(r.tolerance, min(o.repliedAt-o.sentAt, time.Second)+2*time.Millisecond)
	}
	if r.recent = append(r.recent, o); len(r.recent) > maxRecent {
		r.recent = slices.Delete(r.recent, 0, maxRecent/2)
	}
	r.window.remove(o)
}

// maxRecent is the number of operations that are kept for Difference.Overlaps.
const maxRecent = 64

// noteUndeclaredKeys notes scripts that have used keys that they do not declare.
func (r *replayer) noteUndeclaredKeys(o *operation) {
	if !o.facts.script || len(o.steps) != 1 || o.access.global {
		return
	}
	undeclared := func(u keyUse) bool {
		return !slices.ContainsFunc(o.access.keys, func(k keyUse) bool { return k.key == u.key && k.db == u.db })
	}
	if r.called.incomplete || r.called.facts.global || slices.ContainsFunc(r.called.writes, undeclared) ||
		slices.ContainsFunc(r.called.reads, undeclared) {
		if name := o.steps[0].script(); name != "" {
			r.undeclaredKeys[name] = true
		}
	}
}

// runMulti runs a transaction.
func (r *replayer) runMulti(o *operation) {
	conn := o.client.conn
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
	if s != nil && s.substituteReply != "" {
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
		// All connections of a replay have this user, which may do everything.
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
			if id, ok := r.sessionIDs[args[i]]; ok {
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
func (r *replayer) learnID(o *operation, s *step) {
	if n, ok := recordedID(s); ok && o.client.conn != nil {
		r.sessionIDs[strconv.FormatInt(n, 10)] = o.client.conn.id
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

// skip counts an operation that does not run.
func (r *replayer) skip(o *operation) error {
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
			o.client.conn.run(del...)
		}
	}
	r.window.remove(o)
	return nil
}

func isCopy(arg string) bool { return strings.EqualFold(arg, "COPY") }

// closeClient compares the pushes of a connection that has ended.
func (r *replayer) closeClient(c *client) {
	if c.conn != nil {
		c.conn.close()
		c.pushes.receive(c.conn.pushed)
		c.conn.pushed = nil
	}
	r.comparePushes(c)
}

// comparePushes compares the pushes of a connection.
func (r *replayer) comparePushes(c *client) {
	p := &c.pushes
	if p.compared {
		return
	}
	p.compared = true
	p.match()
	if p.overflowed {
		r.report.Uncompared++
		return
	}
	p.matchAnyOrder()
	r.report.Pushes += p.same
	if p.monitor > 0 {
		r.report.Allowed[ByServer] += p.monitor
	}
	if r.options.To > 0 || (len(r.filter) > 0 && !r.filter[c.id]) {
		return // those behind the end are missing
	}
	for _, raw := range p.want {
		r.addDifference(Difference{Conn: c.id, Client: c.addr, Recorded: raw})
	}
	for _, raw := range p.got {
		r.addDifference(Difference{Conn: c.id, Client: c.addr, Got: raw})
	}
	p.dropAll()
}
