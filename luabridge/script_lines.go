package luabridge

import (
	"maps"
	"slices"

	lua "github.com/yuin/gopher-lua"
)

// Lines are the lines, from 1, at which [Debugger.Line] may be called when the script is debugged, sorted: those where a breakpoint can stop.
func (s *Script) Lines() []int {
	lines := map[int]bool{}
	collectLines(s.proto, lines)
	delete(lines, 0)
	return slices.Sorted(maps.Keys(lines))
}

func collectLines(p *lua.FunctionProto, lines map[int]bool) {
	for _, line := range p.DbgSourcePositions {
		lines[line] = true
	}
	for _, f := range p.FunctionPrototypes {
		collectLines(f, lines)
	}
}
