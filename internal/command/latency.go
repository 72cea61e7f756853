package command

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/reply"
)

// latencyLog holds samples of events that took at least latency-monitor-threshold.
type latencyLog struct {
	events map[string]*latencyEvent
}

type latencyEvent struct {
	samples []latencySample // oldest first
	max     int64           // ms, of all times
}

type latencySample struct{ at, ms int64 } // at in seconds since the epoch

// latencySamples is how many samples of an event are kept.
const latencySamples = 160

// add notes a sample. Of those in one second only the longest stays.
func (l *latencyLog) add(event string, at, ms int64) {
	e := l.events[event]
	if e == nil {
		if l.events == nil {
			l.events = map[string]*latencyEvent{}
		}
		e = &latencyEvent{}
		l.events[event] = e
	}
	e.max = max(e.max, ms)
	if n := len(e.samples); n > 0 && e.samples[n-1].at == at {
		e.samples[n-1].ms = max(e.samples[n-1].ms, ms)
		return
	}
	if len(e.samples) == latencySamples {
		e.samples = slices.Delete(e.samples, 0, 1)
	}
	e.samples = append(e.samples, latencySample{at, ms})
}

// NoteLatency records a sample of nanos ns if it is at least latency-monitor-threshold.
func (s *Server) NoteLatency(event string, nanos int64) {
	if t, ms := s.Config.latencyThreshold, nanos/1e6; t > 0 && ms >= t {
		s.latency.add(event, s.Store.Now()/1000, ms)
	}
}

func (l *latencyLog) names() []string { return slices.Sorted(maps.Keys(l.events)) }

// latencyLatest answers each event's name, the time and length of its newest sample, and the longest of all.
func latencyLatest(c *Ctx) reply.Value {
	l := &c.Server.latency
	out := []reply.Value{}
	for _, name := range l.names() {
		e := l.events[name]
		last := e.samples[len(e.samples)-1]
		out = append(out, reply.Array(reply.Bulk(name), reply.Int(last.at), reply.Int(last.ms), reply.Int(e.max)))
	}
	return reply.Array(out...)
}

func latencyHistory(c *Ctx) reply.Value {
	out := []reply.Value{}
	if e := c.Server.latency.events[c.Args[2]]; e != nil {
		for _, s := range e.samples {
			out = append(out, reply.Array(reply.Int(s.at), reply.Int(s.ms)))
		}
	}
	return reply.Array(out...)
}

// latencyReset forgets the events named, or all, and counts those that there were.
func latencyReset(c *Ctx) reply.Value {
	l := &c.Server.latency
	names := c.Args[2:]
	if len(names) == 0 {
		names = l.names()
	}
	n := int64(0)
	for _, name := range names {
		if l.events[name] != nil {
			delete(l.events, name)
			n++
		}
	}
	return reply.Int(n)
}

// latencyHistogram answers for the commands named, a container standing for its subcommands, or for all that have
// been called.
func latencyHistogram(c *Ctx) reply.Value {
	t := c.Server.Table
	specs := t.all
	if c.NArg() > 2 {
		specs = nil
		for _, name := range c.Args[2:] {
			if s := t.byFullName(name); s != nil {
				specs = append(append(specs, s), s.Subs...)
			}
		}
	}
	var out []reply.Value
	for _, s := range specs {
		st := &c.Server.Stats.Calls[s.ID]
		if !st.times.empty() {
			out = append(out, reply.Bulk(s.FullName()), st.times.reply(st.Calls))
		}
	}
	return reply.Map(out...)
}

// latencyDoctor reports in words of its own, but for what it says when there is nothing to report.
func latencyDoctor(c *Ctx) reply.Value {
	l := &c.Server.latency
	if c.Server.Config.latencyThreshold == 0 && len(l.events) == 0 {
		return reply.Verbatim("txt", "I'm sorry, Dave, I can't do that. Latency monitoring is disabled in this Redis instance. You may use "+
			"\"CONFIG SET latency-monitor-threshold <milliseconds>.\" in order to enable it. If we weren't in a deep space mission I'd suggest "+
			"to take a look at https://redis.io/topics/latency-monitor.\n")
	}
	if len(l.events) == 0 {
		return reply.Verbatim("txt", "Dave, no latency spike was observed during the lifetime of this Redis instance, not in the slightest bit. "+
			"I honestly think you ought to sit down calmly, take a stress pill, and think things over.\n")
	}
	var b strings.Builder
	for _, name := range l.names() {
		e := l.events[name]
		sum := int64(0)
		for _, s := range e.samples {
			sum += s.ms
		}
		fmt.Fprintf(&b, "%s: %d samples, average %d ms, longest ever %d ms\n", name, len(e.samples), sum/int64(len(e.samples)), e.max)
	}
	b.WriteString("SLOWLOG GET shows the commands that took longest.\n")
	return reply.Verbatim("txt", b.String())
}

func latencyHelp() Handler {
	return help("LATENCY",
		"DOCTOR",
		"    Return a human readable latency analysis report.",
		"GRAPH <event>",
		"    Return an ASCII latency graph for the <event> class.",
		"HISTORY <event>",
		"    Return time-latency samples for the <event> class.",
		"LATEST",
		"    Return the latest latency samples for all events.",
		"RESET [<event> ...]",
		"    Reset latency data of one or more <event> classes.",
		"    (default: reset all data for all event classes)",
		"HISTOGRAM [COMMAND ...]",
		"    Return a cumulative distribution of latencies in the format of a histogram for the specified command names.",
		"    If no commands are specified then all histograms are replied.",
	)
}
