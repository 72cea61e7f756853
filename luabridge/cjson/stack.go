package cjson

import (
	lua "github.com/yuin/gopher-lua"
)

// stack holds the values of the arrays and objects that are being read, those of the innermost
// last.
type stack struct {
	values []lua.LValue
}

// mostKept is the largest number of places that a stack keeps for the next text.
const mostKept = 4096

func (s *stack) mark() int                   { return len(s.values) }
func (s *stack) pushOne(v lua.LValue)        { s.values = append(s.values, v) }
func (s *stack) push(key, v lua.LValue)      { s.values = append(s.values, key, v) }
func (s *stack) since(mark int) []lua.LValue { return s.values[mark:] }
func (s *stack) drop(mark int)               { clear(s.values[mark:]); s.values = s.values[:mark] }

// release drops the values that an error has left.
func (s *stack) release() {
	s.drop(0)
	if cap(s.values) > mostKept {
		s.values = nil
	}
}
