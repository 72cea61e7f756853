package wild

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/resp"
)

func encode(r request) []byte { return resp.AppendCommand(nil, r...) }

// decode takes a raw reply apart.
func decode(raw []byte) (engine.Value, error) {
	return resp.NewDecoder(bytes.NewReader(raw)).Decode()
}

// rule says how far two replies may be apart. The zero value asks for the same bytes.
type rule struct {
	kind      bool // only the kind of reply counts
	unordered bool // the elements of lists have no order
	pairs     bool // with unordered: a flat list is a list of pairs
	times     bool // numbers may be times, which may be apart by slack
	clock     bool // the reply is TIME's
}

// rules are the commands whose replies need not be the same bytes.
func rules() map[string]rule {
	own, unordered, times := rule{kind: true}, rule{unordered: true}, rule{times: true}
	return map[string]rule{
		"INFO": own, "CLIENT": own, "HELLO": own, "MEMORY": own,
		"KEYS": unordered, "SMEMBERS": unordered, "SINTER": unordered, "SUNION": unordered, "SDIFF": unordered,
		"HKEYS": unordered, "HVALS": unordered, "HGETALL": {unordered: true, pairs: true},
		"SCAN": unordered, "SSCAN": unordered,
		"TTL": times, "PTTL": times, "EXPIRETIME": times, "PEXPIRETIME": times, "TIME": {clock: true},
	}
}

// comparison is what a program's replies are compared with.
type comparison struct {
	times   bool // scripts read clocks
	slack   time.Duration
	scripts scripts
}

// rule returns the rule of a request. A script's reply has no order when it calls a command whose
// reply has none, and is a number of the server's own when it adds up bytes of memory.
func (c comparison) rule(r request) rule {
	if !r.runsScript() {
		return rules()[r.name()]
	}
	text := r[1]
	if r.bySHA() {
		text = c.scripts[strings.ToLower(r[1])]
	}
	text = strings.ReplaceAll(strings.ToUpper(text), "'", `"`)
	inScript := rule{times: c.times}
	for name, of := range rules() {
		if strings.Contains(text, `"`+name+`"`) {
			inScript.unordered = inScript.unordered || of.unordered
			inScript.kind = inScript.kind || name == "MEMORY"
		}
	}
	return inScript
}

// same reports whether both replies are the same except for what may differ.
func (c comparison) same(e exchange) bool {
	if bytes.Equal(e.want, e.got) {
		return true
	}
	want, werr := decode(e.want)
	got, gerr := decode(e.got)
	if werr != nil || gerr != nil {
		return false
	}
	if !e.request.is("EXEC") || want.Len() != len(e.queued) || got.Len() != len(e.queued) {
		return c.rule(e.request).same(want, got, c.slack)
	}
	for i, r := range e.queued {
		if !c.rule(r).same(want.Slice()[i], got.Slice()[i], c.slack) {
			return false
		}
	}
	return true
}

func (r rule) same(want, got engine.Value, slack time.Duration) bool {
	if want.Kind() != got.Kind() || want.IsNil() != got.IsNil() {
		return false
	}
	if r.kind {
		return true
	}
	a, b := want.Slice(), got.Slice()
	if len(a) != len(b) {
		return false
	}
	if r.clock && len(a) == 2 {
		return moment(a).Sub(moment(b)).Abs() <= slack
	}
	if len(a) == 0 {
		w, g := resp.Append(nil, want, 3), resp.Append(nil, got, 3)
		return bytes.Equal(w, g) || r.times && sameTimes(want, got, slack)
	}
	if r.unordered {
		a, b = r.sorted(a), r.sorted(b)
	}
	for i := range a {
		if !r.same(a[i], b[i], slack) {
			return false
		}
	}
	return true
}

// moment reads the reply of TIME, seconds and microseconds. What is not a number there reads as a
// time of long ago.
func moment(reply []engine.Value) time.Time {
	sec, _ := strconv.ParseInt(reply[0].Text(), 10, 64)
	micro, _ := strconv.ParseInt(reply[1].Text(), 10, 64)
	return time.Unix(sec, micro*1000)
}

// sorted returns the elements in the order of their bytes.
func (r rule) sorted(vs []engine.Value) []engine.Value {
	size := 1
	if r.pairs && len(vs)%2 == 0 {
		size = 2
	}
	groups := slices.Collect(slices.Chunk(slices.Clone(vs), size))
	slices.SortFunc(groups, func(a, b []engine.Value) int { return strings.Compare(canonical(a), canonical(b)) })
	return slices.Concat(groups...)
}

func canonical(vs []engine.Value) string {
	var b []byte
	for _, v := range vs {
		b = resp.Append(b, v, 3)
	}
	return string(b)
}

// sameTimes reports whether both replies are numbers that may be the same moment or duration. The
// unit follows from the size: seconds below a thousand, where counters stand as well and must be
// equal; milliseconds; Unix times in seconds, milliseconds, microseconds and nanoseconds.
func sameTimes(want, got engine.Value, slack time.Duration) bool {
	a, err := number(want)
	b, gerr := number(got)
	if err != nil || gerr != nil {
		return false
	}
	least := math.Min(math.Abs(a), math.Abs(b))
	apart := slack.Seconds()
	switch {
	case least >= 1e17:
		apart = float64(slack.Nanoseconds())
	case least >= 1e14:
		apart = float64(slack.Microseconds())
	case least >= 1e11, least >= 1e3 && least < 1e8:
		apart = float64(slack.Milliseconds())
	case least >= 1e8: // a Unix time, from 1973 on
	default:
		apart = math.Min(apart, 0.5)
	}
	return math.Abs(a-b) <= apart
}

func number(v engine.Value) (float64, error) {
	raw := resp.Append(nil, v, 3)
	switch raw[0] {
	case ':', ',':
		return strconv.ParseFloat(strings.TrimSuffix(string(raw[1:]), "\r\n"), 64)
	case '$':
		return strconv.ParseFloat(v.Text(), 64)
	}
	return 0, fmt.Errorf("%q is no number", raw)
}

// lacking returns the command that Redmoon says it does not have, "script" when a script called it,
// or "".
func (e exchange) lacking() string {
	if bytes.Equal(e.want, e.got) || len(e.got) == 0 || e.got[0] != '-' {
		return ""
	}
	switch text := string(e.got); {
	case strings.HasPrefix(text, "-ERR unknown command"), strings.HasPrefix(text, "-ERR unknown subcommand"):
		return e.request.name()
	case strings.Contains(text, "Unknown Redis command called from script"):
		return "script"
	}
	return ""
}
