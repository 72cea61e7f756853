package replay

import (
	"slices"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/recording/dialogue"
)

// runOnServer runs on the server what the engine has run or begun to run for an op.
func (r *replayer) runOnServer(o *op) error {
	c := o.c.remote
	if c == nil || o.sentToServer {
		return nil
	}
	o.sentToServer = true
	for i, q := range o.requests {
		var s *step
		if !o.multi {
			s = &o.steps[0]
		} else {
			s = o.stepOf(q)
		}
		waits := i == len(o.requests)-1 && o.c.conn.waits()
		if err := r.server.run(c, waits, r.serverArgs(q, s)...); err != nil {
			return err
		}
		if o.multi && i < len(o.requests)-1 {
			r.compareOn(r.server.against.Name, o, &step{request: q, args: q.args, want: wantOf(q)}, string(c.reply))
		}
	}
	return nil
}

// stepOf returns the step of a transaction that a request queues, or nil.
func (o *op) stepOf(q *request) *step {
	for i := range o.steps {
		if o.steps[i].request == q {
			return &o.steps[i]
		}
	}
	return nil
}

// compareServer compares the server's replies with the recorded ones.
func (r *replayer) compareServer(o *op) error {
	c := o.c.remote
	if c == nil {
		return nil
	}
	if err := r.server.answer(c); err != nil {
		return err
	}
	name, raw, last := r.server.against.Name, string(c.reply), o.last()
	if !o.multi {
		r.compareOn(name, o, &o.steps[0], raw)
		return nil
	}
	got, ok := dialogue.Elements(raw)
	if len(o.steps) == 0 || !ok || len(got) != len(o.steps) || last.silent {
		r.compareOn(name, o, &step{request: last, args: last.args, want: wantOf(last)}, raw)
		return nil
	}
	for i := range o.steps {
		r.compareOn(name, o, &o.steps[i], got[i])
	}
	return nil
}

// compareOn compares a reply of the server with the recorded one.
func (r *replayer) compareOn(name string, o *op, s *step, raw string) {
	if s.want == nil || !r.compared(o, s.request.at) {
		return
	}
	if s.forced == "" {
		r.learnServerID(o, s)
	}
	v := same
	switch {
	case s.forced != "" && raw != s.forced:
		v = differs
	case s.forced == "" && !s.want.is([]byte(raw)):
		x := r.relaxOf(s)
		x.chance = x.chance || x.clock || o.found.clock // the clock of the server is another one
		v = x.judge(s.want, []byte(raw))
	}
	switch {
	case v.differs && strings.HasPrefix(raw, "-NOSCRIPT ") && s.facts.script && !r.hasText(s):
	case v.differs:
		d := r.difference(o, s, raw)
		d.Where = name
		r.differs(d)
	case v.why != "":
		r.report.AgainstAllowed++
	default:
		r.report.AgainstSame++
	}
}

// learnServerID is learnID for the server.
func (r *replayer) learnServerID(o *op, s *step) {
	if n, ok := recordedID(s); ok {
		r.server.ids[strconv.FormatInt(n, 10)] = o.c.remote.id
	}
}

// serverArgs returns what runs on the server for a request: times and stream IDs are those of the
// recording, as far as the clock allows.
func (r *replayer) serverArgs(q *request, s *step) []string {
	args := slices.Clone(r.argsFor(q, s, r.server.ids))
	f := factsOf(r.w.table, args)
	if f.spec == nil {
		return args
	}
	if f.spec.Name == "xadd" && s != nil && s.want != nil && !s.want.isError() {
		if v, err := s.want.decode(); err == nil && !v.IsNil() && strings.Contains(v.Text(), "-") {
			if i := slices.IndexFunc(args, func(a string) bool { return a == "*" || strings.HasSuffix(a, "-*") }); i > 1 {
				args[i] = v.Text()
			}
		}
	}
	shiftTimes(f.spec, args, r.server.shift)
	return args
}

// shiftTimes moves the points in time among the arguments of a command by us.
func shiftTimes(spec *cmdtable.Spec, args []string, us int64) {
	move := func(i int, unit int64) {
		if i < len(args) {
			if n, err := strconv.ParseInt(args[i], 10, 64); err == nil {
				args[i] = strconv.FormatInt(n+us/unit, 10)
			}
		}
	}
	unit := func(name string) int64 {
		if strings.Contains(strings.ToLower(name), "milli") {
			return 1000
		}
		return 1_000_000
	}
	at, fixed := 1, true
	if spec.Parent != nil {
		at = 2
	}
	for _, a := range spec.Arguments() {
		if fixed && a.Type == "unix-time" && a.Token == "" && !a.Optional {
			move(at, unit(a.Name))
		}
		fixed = fixed && !a.Optional && !a.Multiple && len(a.Args) == 0
		at++
		for _, t := range timeTokens([]cmdtable.Arg{a}) {
			for i := 2; i+1 < len(args); i++ {
				if strings.EqualFold(args[i], t.Token) {
					move(i+1, unit(t.Name))
				}
			}
		}
	}
}

// timeTokens returns the arguments that are points in time behind a keyword.
func timeTokens(list []cmdtable.Arg) (found []cmdtable.Arg) {
	for _, a := range list {
		if a.Type == "unix-time" && a.Token != "" {
			found = append(found, a)
		}
		found = append(found, timeTokens(a.Args)...)
	}
	return found
}
