package luabridge

import (
	"maps"
	"slices"

	lua "github.com/yuin/gopher-lua"
)

// Lines are the lines, from 1, at which [Debugger.Line] may be called when the script is debugged, sorted: those where a breakpoint can stop.
func (s *Script) Lines() []int {
	lines := map[int]bool{}
	collectLines(s.stepping(), lines)
	return slices.Sorted(maps.Keys(lines))
}

func collectLines(p *lua.FunctionProto, lines map[int]bool) {
	words := 0 // that belong to the instruction before
	for pc, line := range p.DbgSourcePositions {
		if words > 0 {
			words--
			continue
		}
		lines[line] = true
		switch inst := p.Code[pc]; int(inst >> 26) {
		case lua.OP_CLOSURE:
			words = int(p.FunctionPrototypes[inst&0x3ffff].NumUpvalues)
		case lua.OP_SETLIST:
			if inst>>9&0x1ff == 0 {
				words = 1
			}
		}
	}
	for _, f := range p.FunctionPrototypes {
		collectLines(f, lines)
	}
}
