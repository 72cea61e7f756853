package ldb

import (
	"encoding/binary"
	"slices"

	"github.com/redmoon-lua/redmoon/debugger"
)

const maxBreakpoints = 64

// breakpoints are the lines with a breakpoint, in the order in which they were set.
type breakpoints struct {
	lines []int32
}

func (p *breakpoints) has(line int) bool { return slices.Contains(p.lines, int32(line)) }

func (p *breakpoints) full() bool { return len(p.lines) == maxBreakpoints }

func (p *breakpoints) add(line int32) { p.lines = append(p.lines, line) }

func (p *breakpoints) clear() { p.lines = p.lines[:0] }

// remove reports whether there was a breakpoint on the line. It repeats an error of Redis: the
// breakpoints after it are not moved as a whole. Only as many of their bytes are moved as there are
// breakpoints left after it, and the last breakpoint is lost.
func (p *breakpoints) remove(line int32) bool {
	at := slices.Index(p.lines, line)
	if at < 0 {
		return false
	}
	const size = 4
	b := make([]byte, 0, size*maxBreakpoints)
	for _, l := range p.lines {
		b = binary.LittleEndian.AppendUint32(b, uint32(l))
	}
	left := len(p.lines) - 1
	copy(b[size*at:], b[size*(at+1):][:left-at])
	p.lines = p.lines[:left]
	for i := range p.lines {
		p.lines[i] = int32(binary.LittleEndian.Uint32(b[size*i:]))
	}
	return true
}

// forSession returns the breakpoints on lines that have code.
func (p *breakpoints) forSession(lines []int) []debugger.Breakpoint {
	var all []debugger.Breakpoint
	for _, line := range lines {
		if p.has(line) {
			all = append(all, debugger.Breakpoint{Line: line})
		}
	}
	return all
}
