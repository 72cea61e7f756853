package ldb

import (
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
)

// observer logs what the script does between stops.
type observer struct{ d *dialogue }

// Line implements engine.Debugger.
func (o observer) Line(_ *engine.Stack, line int) { o.d.line = line }

// Call implements engine.Debugger.
func (o observer) Call(_ *engine.Stack, args []string) {
	if o.d.stepping {
		o.d.logCall(args)
	}
}

// Reply implements engine.Debugger.
func (o observer) Reply(_ *engine.Stack, _ []string, v engine.Value) {
	if o.d.stepping {
		o.d.logReply(v)
	}
}

// Complain implements engine.Debugger.
func (o observer) Complain(_ *engine.Stack, text string) {
	if o.d.stepping {
		o.d.log.add("<error> " + text)
	}
}

// Raise implements engine.Debugger.
func (o observer) Raise(*engine.Stack, engine.LuaValue, bool) {}

// Breakpoint implements engine.Debugger.
func (o observer) Breakpoint(*engine.Stack) bool {
	o.d.breakpointCalled = true
	return true
}

// Print implements engine.Debugger.
func (o observer) Print(s *engine.Stack, values []engine.LuaValue) {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = formatValue(v)
	}
	o.d.log.add("<debug> line " + strconv.Itoa(o.lineOf(s)) + ": " + strings.Join(texts, ", "))
}

// Log implements engine.Debugger.
func (o observer) Log(*engine.Stack, int, string) {}

// lineOf returns the line that was reached last. Lines of chunks that the script has loaded do not
// count.
func (o observer) lineOf(s *engine.Stack) int {
	if o.d.evaluating {
		return o.d.line
	}
	for _, f := range s.Frames() {
		if f.Kind == engine.FrameOfLibrary {
			continue
		}
		if f.Chunk != "" {
			return f.Line
		}
		break
	}
	return o.d.line
}
