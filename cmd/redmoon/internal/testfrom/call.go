package testfrom

import (
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/tools/recording"
	"github.com/redmoon-lua/redmoon/internal/tools/replay"
	"github.com/redmoon-lua/redmoon/reply"
	"github.com/redmoon-lua/redmoon/resp"
)

// call is a call of the test.
type call struct {
	replay.Ran
	script *script // nil: it is called by its words

	want     reply.Value // with compare
	compare  bool
	note     string // why the reply is not compared, or why the call is left out
	leaveOut bool
}

// script is the call of a script by EVAL or EVALSHA.
type script struct {
	keys, args []string
}

// newCall returns the call of a command, or nil if it has no place in a test.
func newCall(r replay.Ran) *call {
	name := strings.ToUpper(r.Args[0])
	isConfig := name == "CONFIG" && len(r.Args) == 4 && strings.EqualFold(r.Args[1], "SET") &&
		recording.Decides(strings.ToLower(r.Args[2]))
	if !r.Data && !isConfig || strings.HasPrefix(r.Reply, "-NOSCRIPT ") {
		return nil
	}
	c := &call{Ran: r}
	switch name {
	case "EVAL", "EVALSHA":
		c.script = scriptOf(r)
	case "EVALSHA_RO":
		if r.Source != "" {
			c.Args = append([]string{"EVAL_RO", r.Source}, r.Args[2:]...)
		}
	}
	return c
}

// scriptOf returns the call of a script, or nil if it must be called by its words.
func scriptOf(r replay.Ran) *script {
	if len(r.Args) < 3 || r.Source == "" {
		return nil
	}
	n, err := strconv.Atoi(r.Args[2])
	if err != nil || n < 0 || n > len(r.Args)-3 {
		return nil
	}
	return &script{keys: r.Args[3 : 3+n], args: r.Args[3+n:]}
}

func (c *call) size() int {
	n := len(c.Reply)
	for _, a := range c.Args {
		n += len(a) + 16
	}
	return n
}

// words returns what the test runs.
func (c *call) words() []string {
	if c.script == nil {
		return c.Args
	}
	return append([]string{"EVAL", c.Source}, c.Args[2:]...)
}

// isRecorded reports whether the call is the recorded one, and not one with the same effect.
func (c *call) isRecorded() bool {
	return strings.EqualFold(c.Args[0], c.Recorded[0]) || strings.HasPrefix(strings.ToUpper(c.Args[0]), "EVAL")
}

// judge decides whether the reply is compared. got is the reply of the engine on which the calls
// run one after the other, in RESP2.
func (c *call) judge(got reply.Value) {
	switch {
	case !c.isRecorded():
		c.note = "in place of " + c.Recorded[0] + ", whose effect depends on chance"
		return
	case c.Reply == "":
		c.note = "the reply was not recorded"
		return
	case c.Cut:
		c.note = "only the beginning of the reply was recorded"
		return
	case !c.Data:
		return // CONFIG SET
	}
	v, err := resp.NewDecoder(strings.NewReader(c.Reply)).Decode()
	if err != nil {
		c.note = "the recorded reply cannot be read"
		return
	}
	c.want = inRESP2(v)
	switch {
	case c.want.Equal(got), c.Unsorted && replay.Unordered(c.want, got, c.Pairs):
		c.compare = true
	case c.Verdict.Differs:
		c.compare = true // the test fails, as the replay has
	case c.Proto == 3 && c.Verdict.Why == "":
		c.compare, c.want = true, got // the reply of RESP3 has another form
	case c.Verdict.Why != "":
		c.note = "the reply depends on " + string(c.Verdict.Why)
	default:
		c.note = "the reply depends on the connections of the recording"
	}
}

// inRESP2 returns a value as a client sees it that speaks RESP2.
func inRESP2(v reply.Value) reply.Value {
	w, err := resp.NewDecoder(strings.NewReader(string(resp.Append(nil, v, 2)))).Decode()
	if err != nil {
		return v
	}
	return w
}
