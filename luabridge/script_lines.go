package luabridge

import (
	"maps"
	"slices"

	lua "github.com/yuin/gopher-lua"
)

// Lines returns the lines, from 1 and sorted, at which a breakpoint can stop: those for which
// [Debugger.Line] may be called.
func (s *Script) Lines() []int {
	lines := map[int]bool{}
	collectLines(s.proto, lines)
	return slices.Sorted(maps.Keys(lines))
}

func collectLines(p *lua.FunctionProto, lines map[int]bool) {
	words := 0 // words that belong to the instruction before
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
