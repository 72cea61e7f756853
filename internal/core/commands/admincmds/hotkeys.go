package admincmds

import (
	"slices"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// The bounds of HOTKEYS START.
const (
	hotMetrics    = 2         // number of metrics
	hotMostKeys   = 64        // COUNT
	hotMostTime   = 1_000_000 // DURATION, in seconds
	hotMostSample = 1<<31 - 1
	hotUsualKeys  = 10
)

func hotkeysStart(c *server.Ctx) reply.Value {
	if c.Server.Hot.Active(c.Now()) {
		return reply.Err("ERR hotkey tracking session already in progress")
	}
	p := server.HotPlan{Count: hotUsualKeys, Sample: 1}
	rest, problem := hotkeysMetrics(c.Args[2:], &p)
	for problem == "" && len(rest) > 0 {
		rest, problem = hotkeysOption(c, rest, &p)
	}
	if problem != "" {
		return reply.Err(problem)
	}
	c.Server.StartHotKeys(p)
	return reply.OK()
}

// hotkeysMetrics reads METRICS, which comes first, and returns the arguments behind it. One of two
// names may be unknown.
func hotkeysMetrics(args []string, p *server.HotPlan) (rest []string, problem string) {
	if len(args) < 2 || !parse.IsToken(args[0], "metrics") {
		return nil, "ERR METRICS parameter is required"
	}
	n, ok := parse.Int(args[1])
	if !ok || n < 1 || n > hotMetrics {
		return nil, "ERR METRICS count must be > 0 and <= 2"
	}
	names := args[2:min(len(args), 2+int(n))]
	for _, name := range names {
		switch {
		case parse.IsToken(name, "cpu"):
			if p.CPU {
				return nil, "ERR METRICS CPU defined more than once!"
			}
			p.CPU = true
		case parse.IsToken(name, "net"):
			if p.Net {
				return nil, "ERR METRICS NET defined more than once!"
			}
			p.Net = true
		}
	}
	switch {
	case len(names) < int(n):
		return nil, "ERR METRICS count does not match number of metric types provided"
	case !p.CPU && !p.Net:
		return nil, "ERR METRICS no valid metrics passed. Supported: CPU|NET"
	}
	return args[2+n:], ""
}

// hotkeysOption reads an option and returns the arguments behind it.
func hotkeysOption(c *server.Ctx, args []string, p *server.HotPlan) (rest []string, problem string) {
	if len(args) < 2 {
		return nil, errtext.Syntax
	}
	n, ok := parse.Int(args[1])
	within := func(most int64) bool { return ok && n >= 1 && n <= most }
	switch {
	case parse.IsToken(args[0], "count"):
		if !within(hotMostKeys) {
			return nil, "ERR COUNT must be between 1 and 64"
		}
		p.Count = int(n)
	case parse.IsToken(args[0], "duration"):
		if !within(hotMostTime) {
			return nil, "ERR DURATION must be between 1 and 1000000"
		}
		p.Duration = n * 1000
	case parse.IsToken(args[0], "sample"):
		if !within(hotMostSample) {
			return nil, "ERR SAMPLE ratio must be positive"
		}
		p.Sample = n
	case parse.IsToken(args[0], "slots"):
		switch {
		case c.Server.Cluster == nil:
			return nil, "ERR SLOTS parameter cannot be used in non-cluster mode"
		case p.Slots != nil:
			return nil, "ERR SLOTS parameter already specified"
		case !within(datastore.Slots):
			return nil, "ERR SLOTS count must be between 1 and 16384"
		}
		return hotkeysSlots(c, args[2:], int(n), p)
	default:
		return nil, errtext.Syntax
	}
	return args[2:], ""
}

// hotkeysSlots reads n slots of this node.
func hotkeysSlots(c *server.Ctx, args []string, n int, p *server.HotPlan) (rest []string, problem string) {
	if len(args) < n {
		return nil, "ERR not enough slot numbers provided"
	}
	for _, a := range args[:n] {
		slot, ok := parse.Slot(a)
		switch {
		case !ok:
			return nil, errtext.BadSlot
		case !c.Server.Cluster.Owns(slot):
			return nil, reply.Errorf("ERR slot %d not handled by this node", slot).Text()
		}
		p.Slots = append(p.Slots, slot)
	}
	slices.Sort(p.Slots)
	if len(slices.Compact(slices.Clone(p.Slots))) < n {
		return nil, "ERR duplicate slot number"
	}
	return args[n:], ""
}

func hotkeysStop(c *server.Ctx) reply.Value {
	if !c.Server.Hot.Active(c.Now()) {
		return reply.Nil()
	}
	c.Server.Hot.Stop(c.Now())
	return reply.OK()
}

func hotkeysReset(c *server.Ctx) reply.Value {
	if c.Server.Hot.Active(c.Now()) {
		return reply.Err("ERR hotkey tracking session in progress, stop tracking first")
	}
	c.Server.Hot = nil
	return reply.OK()
}

// hotkeysGet replies with what was measured: an array with one map, to which a client of a cluster
// adds those of other nodes.
func hotkeysGet(c *server.Ctx) reply.Value {
	h := c.Server.Hot
	if h == nil {
		return reply.Nil()
	}
	active := int64(0)
	if h.Active(c.Now()) {
		active = 1
	}
	var fields []reply.Value
	add := func(name string, v reply.Value) { fields = append(fields, reply.Bulk(name), v) }
	number := func(name string, n int64) { add(name, reply.Int(n)) }
	number("tracking-active", active)
	number("sample-ratio", h.Sample)
	add("selected-slots", hotkeysRanges(c))
	costs := func(all, selected, sampled string, of func(server.HotCosts) int64) {
		if h.Slots != nil {
			if h.Sample > 1 {
				number(sampled, of(h.Sampled))
			}
			number(selected, of(h.Selected))
		}
		number(all, of(h.All))
	}
	costs("all-commands-all-slots-us", "all-commands-selected-slots-us", "sampled-commands-selected-slots-us",
		func(c server.HotCosts) int64 { return c.Micros })
	costs("net-bytes-all-commands-all-slots", "net-bytes-all-commands-selected-slots", "net-bytes-sampled-commands-selected-slots",
		func(c server.HotCosts) int64 { return c.Bytes })
	number("collection-start-time-unix-ms", h.Start)
	number("collection-duration-ms", h.Elapsed(c.Now()))
	if h.Times != nil {
		user, sys := h.Used()
		number("total-cpu-time-user-ms", user)
		number("total-cpu-time-sys-ms", sys)
	}
	if h.Bytes != nil {
		number("total-net-bytes", h.Bytes.Total)
	}
	if h.Times != nil {
		add("by-cpu-time-us", hotkeysTop(h.Times, h.Count))
	}
	if h.Bytes != nil {
		add("by-net-bytes", hotkeysTop(h.Bytes, h.Count))
	}
	return reply.Array(reply.Map(fields...))
}

// hotkeysTop lists keys, each before its sum.
func hotkeysTop(of *server.HotCounts, n int) reply.Value {
	var list []reply.Value
	for _, k := range of.Top(n) {
		list = append(list, reply.Bulk(k.Key), reply.Int(k.Sum))
	}
	return reply.Array(list...)
}

// hotkeysRanges lists the selected slots, or those of this node: ranges, and slots alone.
func hotkeysRanges(c *server.Ctx) reply.Value {
	ranges := [][2]int{{0, datastore.Slots - 1}}
	switch slots := c.Server.Hot.Slots; {
	case slots != nil:
		ranges = nil
		for i, slot := range slots {
			if i > 0 && slot == slots[i-1]+1 {
				ranges[len(ranges)-1][1] = slot
			} else {
				ranges = append(ranges, [2]int{slot, slot})
			}
		}
	case c.Server.Cluster != nil:
		ranges = c.Server.Cluster.Ranges()
	}
	var list []reply.Value
	for _, r := range ranges {
		ends := []reply.Value{reply.Int(int64(r[0]))}
		if r[1] > r[0] {
			ends = append(ends, reply.Int(int64(r[1])))
		}
		list = append(list, reply.Array(ends...))
	}
	return reply.Array(list...)
}

func hotkeysHelp() server.Handler {
	return server.Help("HOTKEYS",
		"START <METRICS count [CPU] [NET]> [COUNT k] [DURATION duration] [SAMPLE ratio] [SLOTS count slot...]",
		"    Starts hotkeys tracking with specified metrics.",
		"    * METRICS count [CPU] [NET]",
		"        Specify count of metrics and choose amongst:",
		"        - CPU: Track hotkeys by CPU time percentage",
		"        - NET: Track hotkeys by network bytes percentage",
		"    * COUNT k",
		"        Specifies the value of K for the top-K hotkeys tracking. Default: 10",
		"    * DURATION duration",
		"        Specifies tracking duration in seconds. 0 means tracking will continue until manually stopped. Default: 0",
		"    * SAMPLE ratio",
		"        Keys are tracked with probability 1/ratio. Default: 1 (tracks every key)",
		"    * SLOTS count slot...",
		"        Specify which slots to track keys from. Only available in cluster mode. Default: empty (track all slots)",
		"STOP",
		"    Stop hotkeys tracking. Results are still available via GET",
		"GET",
		"    Get results from hotkeys tracking.",
		"RESET",
		"    Reset memory used for hotkeys tracking. Tracking must have been stopped.",
		"    Results will no longer be available after this command.",
	)
}
