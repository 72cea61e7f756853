package admincmds

import (
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// latencyLatest returns, for each event, its name, the time and duration of its newest sample, and
// the longest duration.
func latencyLatest(c *server.Ctx) reply.Value {
	l := &c.Server.Latency
	out := []reply.Value{}
	for _, name := range l.Names() {
		e := l.Events[name]
		last := e.Samples[len(e.Samples)-1]
		out = append(out, reply.Array(reply.Bulk(name), reply.Int(last.At), reply.Int(last.Ms), reply.Int(e.Max)))
	}
	return reply.Array(out...)
}

func latencyHistory(c *server.Ctx) reply.Value {
	out := []reply.Value{}
	if e := c.Server.Latency.Events[c.Args[2]]; e != nil {
		for _, s := range e.Samples {
			out = append(out, reply.Array(reply.Int(s.At), reply.Int(s.Ms)))
		}
	}
	return reply.Array(out...)
}

// latencyReset deletes the named events, or all, and replies with the number of deleted ones.
func latencyReset(c *server.Ctx) reply.Value {
	l := &c.Server.Latency
	names := c.Args[2:]
	if len(names) == 0 {
		names = l.Names()
	}
	n := int64(0)
	for _, name := range names {
		if l.Events[name] != nil {
			delete(l.Events, name)
			n++
		}
	}
	return reply.Int(n)
}

// latencyHistogram returns the histograms of the named commands, or of all that have been called. A
// container stands for its subcommands.
func latencyHistogram(c *server.Ctx) reply.Value {
	t := c.Server.Table
	specs := t.All
	if c.NArg() > 2 {
		specs = nil
		for _, name := range c.Args[2:] {
			if s := t.ByFullName(name); s != nil {
				specs = append(append(specs, s), s.Subs...)
			}
		}
	}
	var out []reply.Value
	for _, s := range specs {
		st := c.Server.Stats.Calls.Peek(s.ID)
		if !st.Times.Empty() {
			out = append(out, reply.Bulk(s.FullName()), st.Times.Reply(st.Calls))
		}
	}
	return reply.Map(out...)
}

// latencyGraph draws the samples of an event as columns, each above its age.
func latencyGraph(c *server.Ctx) reply.Value {
	e := c.Server.Latency.Events[c.Args[2]]
	if e == nil {
		return reply.Errorf("ERR No samples available for event '%s'", errtext.OneLine(errtext.Cut(c.Args[2], len(c.Args[2]))))
	}
	return reply.Verbatim("txt", e.Graph(c.Args[2], c.Now()/1000))
}

// latencyDoctor reports in its own words, except when there is nothing to report, where it uses
// Redis's.
func latencyDoctor(c *server.Ctx) reply.Value {
	l := &c.Server.Latency
	if c.Server.Config.LatencyThreshold == 0 && len(l.Events) == 0 {
		return reply.Verbatim("txt", "I'm sorry, Dave, I can't do that. Latency monitoring is disabled in this Redis instance. You may use "+
			"\"CONFIG SET latency-monitor-threshold <milliseconds>.\" in order to enable it. If we weren't in a deep space mission I'd suggest "+
			"to take a look at https://redis.io/topics/latency-monitor.\n")
	}
	if len(l.Events) == 0 {
		return reply.Verbatim("txt", "Dave, no latency spike was observed during the lifetime of this Redis instance, not in the slightest bit. "+
			"I honestly think you ought to sit down calmly, take a stress pill, and think things over.\n")
	}
	var b strings.Builder
	for _, name := range l.Names() {
		e := l.Events[name]
		sum := int64(0)
		for _, s := range e.Samples {
			sum += s.Ms
		}
		fmt.Fprintf(&b, "%s: %d samples, average %d ms, longest ever %d ms\n", name, len(e.Samples), sum/int64(len(e.Samples)), e.Max)
	}
	b.WriteString("SLOWLOG GET shows the commands that took longest.\n")
	return reply.Verbatim("txt", b.String())
}

func latencyHelp() server.Handler {
	return server.Help("LATENCY",
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
