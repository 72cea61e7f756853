package harness

import (
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/reply"
)

// Call is a command that an engine has run.
type Call struct {
	Args   []string    // the name as it was written, and the arguments
	Reply  reply.Value // the zero Value if the command has begun to wait, as BLPOP does
	DB     int         // the selected database, from 0
	Script bool        // a script or function has called it
	Exec   bool        // EXEC has run it
	Write  bool        // it may change keys
}

// CallOf returns a copy of a command that a probe sees, and of its reply.
func CallOf(c engine.ProbedCommand, v reply.Value) Call {
	return Call{Args: Cloned(c.Args), Reply: v.Clone(), DB: c.DB, Script: c.Script, Exec: c.Exec, Write: c.Write}
}

// Cloned copies texts that are valid only during a call of a probe.
func Cloned(list []string) []string {
	clone := make([]string, len(list))
	for i, s := range list {
		clone[i] = strings.Clone(s)
	}
	return clone
}

// String returns the call as one line: the command line as in redis-cli, an arrow, the reply.
func (c Call) String() string { return Line(c.Args) + " -> " + OneLine(c.Reply) }

// Wrote reports whether the call may have changed keys.
func (c Call) Wrote() bool { return c.Write && !c.Reply.IsError() }

// Size returns the approximate size of the call in bytes.
func (c Call) Size() int64 {
	n := c.Reply.WireSize()
	for _, arg := range c.Args {
		n += int64(len(arg))
	}
	return n
}

// What is remembered at most: calls, unless a test wants less, and bytes of arguments and replies.
const (
	MostCalls = 100_000
	MostBytes = 64 << 20
)

// callLog holds the last calls. If there are too many, it forgets the first half of them.
type callLog struct {
	most  int // calls
	list  []Call
	from  int   // how many were forgotten
	bytes int64 // of list
}

func (l *callLog) add(c Call) {
	l.list = append(l.list, c)
	if l.bytes += c.Size(); len(l.list) <= l.most && l.bytes <= MostBytes {
		return
	}
	half := (len(l.list) + 1) / 2
	l.list, l.from, l.bytes = slices.Clone(l.list[half:]), l.from+half, 0
	for _, c := range l.list {
		l.bytes += c.Size()
	}
}

// end returns the number of calls so far.
func (l *callLog) end() int { return l.from + len(l.list) }

// since returns the calls after the first n.
func (l *callLog) since(n int) []Call { return l.list[min(max(0, n-l.from), len(l.list)):] }
