package replay

// The replies of a step in the report: same, allowed or different.

import (
	"slices"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/internal/base/quoting"
)

// compare compares the reply to a step with the recorded one, and counts it.
func (r *replayer) compare(o *operation, s *step, raw string) {
	v := r.judge(s, []byte(raw))
	if v.differs && o.placement.byClock {
		v = verdict{why: ByClock}
	}
	if v.differs && strings.HasPrefix(raw, "-NOSCRIPT ") && s.facts.script && !r.hasText(s) {
		r.report.NotRun[NoText]++
		r.report.Commands--
		r.report.missing(s.script())
		return
	}
	if s.facts.script {
		r.report.Scripts++
	}
	r.learnID(o, s)
	r.countReply(o, s, raw, v)
}

// hasText reports whether the recording has shown the text of a script so far.
func (r *replayer) hasText(s *step) bool {
	_, ok := r.src.Script(s.script())
	return ok || r.knownScripts[s.script()]
}

// countReply counts a reply.
func (r *replayer) countReply(o *operation, s *step, raw string, v verdict) {
	p := r.report
	if r.options.Ran != nil && s.facts.spec != nil {
		r.options.Ran(r.describeRan(o, s, v))
	}
	if s.want == nil || !r.isCompared(o, s.request.at) {
		return
	}
	switch {
	case v.differs:
		r.addDifference(r.describeDifference(o, s, raw))
	case v.why != "":
		p.Allowed[v.why]++
	default:
		p.Same++
	}
}

// isCompared reports whether differences of a request are wanted.
func (r *replayer) isCompared(o *operation, at time.Duration) bool {
	return at >= r.options.From && (len(r.filter) == 0 || r.filter[o.client.id])
}

// addDifference adds a difference to the report.
func (r *replayer) addDifference(d Difference) {
	most := r.options.MaxDifferences
	if most == 0 {
		most = 100
	}
	if len(r.report.Differences) >= most {
		r.report.More++
		return
	}
	r.report.Differences = append(r.report.Differences, d)
}

// describeDifference describes a reply that differs.
func (r *replayer) describeDifference(o *operation, s *step, raw string) Difference {
	q := s.request
	d := Difference{
		Conn:     o.client.id,
		Client:   o.client.addr,
		N:        q.number,
		Line:     q.line,
		At:       q.at,
		Command:  q.args,
		Recorded: s.want.raw,
		Got:      raw,
	}
	if s.want.cut {
		d.RecordedSize = s.want.size
	}
	if s.facts.script {
		d.Script = r.describeScript(s, raw)
	}
	list := append(slices.Clone(r.recent), r.window.arrived...)
	for _, x := range list {
		if x != o && x.kind == runsCommands && x.resolved && overlap(o, x) && r.conflicts(o, x) &&
			len(d.Overlaps) < maxOverlaps {
			d.Overlaps = append(d.Overlaps, commandText(x.last().args, 100))
		}
	}
	return d
}

// describeScript describes the script of a step.
func (r *replayer) describeScript(s *step, raw string) *Script {
	name := s.script()
	if name == "" {
		return nil
	}
	text, _ := r.src.Script(name)
	if text == "" && strings.HasPrefix(strings.ToUpper(s.args[0]), "EVAL") &&
		!strings.HasPrefix(strings.ToUpper(s.args[0]), "EVALSHA") {
		text = s.args[1]
	}
	return &Script{Name: strings.TrimPrefix(name, "function "), Source: text}
}

// describeRan describes a command that has run.
func (r *replayer) describeRan(o *operation, s *step, v verdict) Ran {
	x := Ran{
		Conn: o.client.id, N: s.request.number, Line: s.request.line, At: time.UnixMicro(r.now()).UTC(),
		DB: s.db, Proto: s.proto, Args: r.argsOf(s.request, s), Recorded: s.request.args,
		Verdict: Verdict{Differs: v.differs, Why: v.why}, Tx: o.multi,
		Data: s.facts.data, Script: s.facts.script, Blocking: s.facts.blocking,
	}
	if s.want != nil {
		x.Reply, x.Cut = s.want.raw, s.want.cut
		how := r.allowanceFor(s)
		x.Unsorted, x.Pairs = how.order, how.pairs
	}
	if s.facts.script {
		if sc := r.describeScript(s, ""); sc != nil {
			x.Source = sc.Source
		}
	}
	return x
}

// commandText returns a command line for people, of about n bytes at most.
func commandText(args []string, n int) string {
	var b []byte
	for i, a := range args {
		if i > 0 {
			b = append(b, ' ')
		}
		if len(b) > n {
			return string(b) + "…"
		}
		cut := a[:min(len(a), n)]
		if isPlain(cut) {
			b = append(b, cut...)
		} else {
			b = quoting.Append(b, cut)
		}
		if len(cut) < len(a) {
			b = append(b, "…"...)
		}
	}
	return string(b)
}

// isPlain reports whether an argument is clear without quotes.
func isPlain(arg string) bool {
	special := func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\'' || r == '\\' }
	return arg != "" && !strings.ContainsFunc(arg, special)
}
