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

// Debug debugs the script of a connection until the script ends. It is meant for
// [resp.Options].Debug.
//
// If the client disconnects, the script runs to its end without stopping. A script that does not
// end within the parameter busy-reply-threshold is then aborted.
func Debug(c *resp.DebugConn) {
	d := &dialogue{conn: c, log: log{maxLen: defaultMaxLen}}
	if c.Call.Error.IsError() {
		d.end(c.Call.Error)
		return
	}
	d.source = splitSource(c.Call.Script.Source())
	limit := busyThreshold(c.Engine)
	d.stepping = true
	target := debugger.Target{Script: c.Call.Script, Keys: c.Call.Keys, Args: c.Call.Args}
	options := debugger.Options{Sync: c.Call.Sync, StopOnEntry: true, Observer: observer{d}}
	s, err := debugger.StartOn(context.Background(), c.Session, target, options)
	if err != nil {
		return // the engine is closed
	}
	defer s.Close()
	d.session = s
	for {
		ev, ok := d.nextEvent(limit)
		if !ok {
			return
		}
		switch ev := ev.(type) {
		case debugger.Stopped:
			d.handleStop(ev)
		case debugger.Ended:
			if ev.Err == nil {
				d.end(ev.Reply)
			}
			return
		}
	}
}

// dialogue is one connection that debugs a script. While the script is running, the engine's
// goroutine adds to the log. While the script is stopped, the connection's goroutine does.
type dialogue struct {
	conn    *resp.DebugConn
	session *debugger.Session
	source  []string
	log     log

	breakpoints      breakpoints
	line             int  // the line that was reached last
	stepping         bool // the script stops at the next line; errors and calls of redis.call are logged
	breakpointCalled bool // redis.breakpoint() was called: the script stops at the next line
	// evaluating is set while code of the client is evaluated: its output belongs to the line of
	// the stop.
	evaluating bool
	clientGone bool // the client has disconnected

	input []byte // received bytes that are not a whole command yet
}

// busyThreshold returns how long a script may run before it is stopped.
func busyThreshold(e *engine.Engine) time.Duration {
	v, err := e.DoStrings(context.Background(), "CONFIG", "GET", "busy-reply-threshold")
	if err == nil && v.Len() == 2 {
		if ms, err := strconv.Atoi(v.Slice()[1].Text()); err == nil && ms > 0 {
			return time.Duration(ms) * time.Millisecond
		}
	}
	return 5 * time.Second
}

// nextEvent returns the session's next event other than output. A script that has run longer than
// limit is paused, unless it is stepped through.
func (d *dialogue) nextEvent(limit time.Duration) (debugger.Event, bool) {
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

// handleStop reports a stop and runs the client's commands until the script is resumed.
func (d *dialogue) handleStop(at debugger.Stopped) {
	d.line = at.Line
	reason := "step over"
	switch {
	case d.breakpointCalled:
		reason = "redis.breakpoint() called"
	case d.breakpoints.has(d.line):
		reason = "break point"
	case at.Reason == debugger.ReasonPause:
		reason = "timeout reached, infinite loop?"
	}
	d.stepping, d.breakpointCalled = false, false
	d.log.add("* Stopped at " + strconv.Itoa(d.line) + ", stop reason = " + reason)
	d.showLine(d.line)
	d.send()
	for {
		args, problem := d.readCommand()
		switch {
		case d.clientGone && at.Reason == debugger.ReasonPause:
			d.session.Abort()
			return
		case d.clientGone:
			d.breakpoints.clear()
			d.session.SetBreakpoints(nil)
			_ = d.session.Continue()
			return
		case problem != "":
			_ = d.session.Raise("ERR " + problem)
			return
		case args == nil:
			return // the session is over
		}
		if d.runCommand(args) {
			return
		}
		d.send()
	}
}

// readSize is the number of bytes that Redis's debugger reads at a time. It matters because Redis
// drops bytes that it reads together with a command and that follow it.
const readSize = 1024

// maxInput is how many bytes may be received that are not a command.
const maxInput = 1 << 20

// readCommand reads a command. args is nil if the client has disconnected, if the script has ended,
// or if there is a problem, which is then raised as an error in the script.
func (d *dialogue) readCommand() (args []string, problem string) {
	for {
		var bad bool
		if args, bad = parseCommand(d.input); args != nil {
			d.input = d.input[:0]
			return args, ""
		}
		if bad {
			return nil, "protocol error" // and what has come stays there
		}
		if !d.readMore() {
			return nil, ""
		}
		if len(d.input) > maxInput {
			d.input = d.input[:0]
			return nil, "max client buffer reached"
		}
	}
}

// readMore waits for more bytes. It reports false if the client has disconnected or the script has
// ended: an engine that is closed ends stopped scripts.
func (d *dialogue) readMore() bool {
	if d.clientGone {
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
			d.clientGone = len(r.data) == 0 && r.err != nil
			return !d.clientGone
		case ev, ok := <-d.session.Events():
			if _, output := ev.(debugger.Output); !output || !ok {
				return false
			}
		}
	}
}

// send sends the log. Errors are ignored, because the next read reports them.
func (d *dialogue) send() {
	_, _ = d.conn.Write(d.log.take())
	_ = d.conn.Flush()
}

// end sends the end of the session and the reply of EVAL.
func (d *dialogue) end(v engine.Value) {
	d.log.add(endMark)
	d.send()
	d.conn.Reply(v)
}

// splitSource splits a script into lines. Line breaks at its end are ignored.
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
