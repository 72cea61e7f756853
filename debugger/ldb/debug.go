package ldb

import (
	"bytes"
	"context"
	"strconv"
	"time"

	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/resp"
)

// Debug debugs the script of a connection until it ends. It is for [resp.Options].Debug.
//
// A client that goes away lets its script run on to the end; one that has then not ended within the parameter busy-reply-threshold is aborted.
func Debug(c *resp.DebugConn) {
	d := &dialogue{conn: c, log: log{maxLen: defaultMaxLen}}
	if c.Call.Error.IsError() {
		d.end(c.Call.Error)
		return
	}
	d.source = splitSource(c.Call.Script.Source())
	limit := busyThreshold(c.Engine)
	d.stepping = true
	s, err := debugger.StartOn(context.Background(), c.Session, debugger.Target{Script: c.Call.Script, Keys: c.Call.Keys, Args: c.Call.Args},
		debugger.Options{Sync: c.Call.Sync, StopOnEntry: true, Observer: observer{d}})
	if err != nil {
		return // the engine is closed
	}
	defer s.Close()
	d.session = s
	for {
		ev, ok := d.next(limit)
		if !ok {
			return
		}
		switch ev := ev.(type) {
		case debugger.Stopped:
			d.stopped(ev)
		case debugger.Ended:
			if ev.Err == nil {
				d.end(ev.Reply)
			}
			return
		}
	}
}

// dialogue is one connection that debugs. While the script is running, its goroutine adds to the log; while it stands still, that of the
// connection does.
type dialogue struct {
	conn    *resp.DebugConn
	session *debugger.Session
	source  []string
	log     log

	points   breakpoints
	line     int  // that was reached last
	stepping bool // to the next line: errors and redis.call are told
	called   bool // redis.breakpoint() was: the next line is a stop
	// evaluating: the client has code evaluated, which stands at the line of the stop.
	evaluating bool
	gone       bool // the client is

	input []byte // what has come and is no whole command yet
}

// busyThreshold is how long a script may run until it is stopped.
func busyThreshold(e *engine.Engine) time.Duration {
	v, err := e.DoStrings(context.Background(), "CONFIG", "GET", "busy-reply-threshold")
	if err == nil && v.Len() == 2 {
		if ms, err := strconv.Atoi(v.Slice()[1].Text()); err == nil && ms > 0 {
			return time.Duration(ms) * time.Millisecond
		}
	}
	return 5 * time.Second
}

// next waits for what happens next. A script that has run for too long is stopped, but not while it is stepped through.
func (d *dialogue) next(limit time.Duration) (debugger.Event, bool) {
	if d.stepping {
		ev, ok := <-d.session.Events()
		return ev, ok
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		select {
		case ev, ok := <-d.session.Events():
			if _, output := ev.(debugger.Output); !output || !ok {
				return ev, ok
			}
		case <-timer.C:
			d.session.Pause()
		}
	}
}

// stopped tells of a stop and does what the client says until the script goes on.
func (d *dialogue) stopped(at debugger.Stopped) {
	d.line = at.Line
	reason := "step over"
	switch {
	case d.called:
		reason = "redis.breakpoint() called"
	case d.points.has(d.line):
		reason = "break point"
	case at.Reason == debugger.PauseRequest:
		reason = "timeout reached, infinite loop?"
	}
	d.stepping, d.called = false, false
	d.log.add("* Stopped at " + strconv.Itoa(d.line) + ", stop reason = " + reason)
	d.showLine(d.line)
	d.send()
	for {
		args, problem := d.command()
		switch {
		case d.gone && at.Reason == debugger.PauseRequest:
			d.session.Abort()
			return
		case d.gone:
			d.points.clear()
			d.session.SetBreakpoints(nil)
			_ = d.session.Continue()
			return
		case problem != "":
			_ = d.session.Raise("ERR " + problem)
			return
		case args == nil:
			return // the session is over
		}
		if d.run(args) {
			return
		}
		d.send()
	}
}

// readSize is how many bytes Redis's debugger reads at once. It matters, for what comes together with a command and behind it is dropped.
const readSize = 1024

// maxInput is how many bytes may come without making a command.
const maxInput = 1 << 20

// command reads a command. It returns none when the client has gone, when the script has ended meanwhile, or with a problem: an error for the script.
func (d *dialogue) command() (args []string, problem string) {
	for {
		var bad bool
		if args, bad = parseCommand(d.input); args != nil {
			d.input = d.input[:0]
			return args, ""
		}
		if bad {
			return nil, "protocol error" // and what has come stays there
		}
		if !d.read() {
			return nil, ""
		}
		if len(d.input) > maxInput {
			d.input = d.input[:0]
			return nil, "max client buffer reached"
		}
	}
}

// read waits for bytes, or for the end of the script: an engine that is closed ends those that stand still.
func (d *dialogue) read() bool {
	if d.gone {
		return false
	}
	type result struct {
		data []byte
		err  error
	}
	came := make(chan result, 1)
	go func() {
		b := make([]byte, readSize)
		n, err := d.conn.Read(b)
		came <- result{b[:n], err}
	}()
	for {
		select {
		case r := <-came:
			d.input = append(d.input, r.data...)
			d.gone = len(r.data) == 0 && r.err != nil
			return !d.gone
		case ev, ok := <-d.session.Events():
			if _, output := ev.(debugger.Output); !output || !ok {
				return false
			}
		}
	}
}

// send sends the log. An error is met when reading.
func (d *dialogue) send() {
	_, _ = d.conn.Write(d.log.take())
	_ = d.conn.Flush()
}

// end tells that the session is over, and what EVAL answers.
func (d *dialogue) end(v engine.Value) {
	d.log.add(endMark)
	d.send()
	d.conn.Reply(v)
}

// splitSource cuts a script into lines. Line breaks at its end make none.
func splitSource(source string) []string {
	b := bytes.TrimRight([]byte(source), "\r\n")
	if len(b) == 0 {
		return nil
	}
	var lines []string
	for _, line := range bytes.Split(b, []byte("\n")) {
		lines = append(lines, string(line))
	}
	return lines
}
