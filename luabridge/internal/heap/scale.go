package heap

import (
	"unsafe"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/addresses"
	"github.com/redmoon-lua/redmoon/luabridge/internal/boxes"
	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// Approximate sizes in bytes.
const (
	functionSize = 112
	upvalueSize  = 64 + 8
)

// looksEvery is the number of values between two calls of look.
const looksEvery = 1 << 13

// The memory of a chunk's code, about, in bytes: of a function, of an instruction with its place in
// the text, and of a local or upvalue.
const (
	codeSize        = 768
	instructionSize = 4 + 8
	variableSize    = 64
)

// Scale adds up the memory that values keep alive.
//
// A number or a short string keeps its block alive, and the bytes of a string keep all blocks that
// they are in; see package boxes. So Scale counts blocks, each once, not values.
type Scale struct {
	objects *addresses.Set // tables, functions and threads
	blocks  *addresses.Set
	todo    []lua.LValue
	sum     int64
	walks   int    // number of values visited
	look    func() // serves pending interrupts
}

// log2 of the granules: of the smallest object with an address of its own, and of a block.
const (
	objectShift = 4
	blockShift  = 9 // boxes.Block
)

// NewScale returns a scale. look is called after every few thousand values.
func NewScale(look func()) *Scale {
	return &Scale{objects: addresses.New(objectShift), blocks: addresses.New(blockShift), look: look}
}

// Sum returns the memory in bytes that has been added up.
func (s *Scale) Sum() int64 { return s.sum }

// AddThread adds the stacks of a thread, but not the values on them.
func (s *Scale) AddThread(th *lua.LState) { s.sum += machine.Footprint(th) }

// Weigh adds everything that can be reached from the values given to Reach. It stops early when the
// sum exceeds enough, and reports whether it has finished.
func (s *Scale) Weigh(enough int64) (finished bool) {
	for len(s.todo) > 0 && s.sum <= enough {
		v := s.todo[len(s.todo)-1]
		s.todo = s.todo[:len(s.todo)-1]
		s.weigh(v)
	}
	return len(s.todo) == 0
}

// First reports whether p is seen for the first time. From now on it counts as seen.
func (s *Scale) First(p unsafe.Pointer) bool { return s.objects.Add(p) }

// prototype adds the code of a function, and of those in it, once.
func (s *Scale) prototype(p *lua.FunctionProto) {
	if p != nil && s.objects.Add(unsafe.Pointer(p)) {
		s.Code(p)
		for _, inner := range p.FunctionPrototypes {
			s.prototype(inner)
		}
	}
}

// Code adds the code of one function.
func (s *Scale) Code(p *lua.FunctionProto) {
	s.sum += codeSize + int64(cap(p.Code))*instructionSize + int64(len(p.DbgLocals)+len(p.DbgUpvalues)+len(p.DbgCalls))*variableSize
	for _, c := range p.Constants {
		s.sum += 2 * int64(unsafe.Sizeof(c)) // gopher-lua keeps the strings a second time
		s.Reach(c)
	}
}

// Reach takes a value into account, once.
func (s *Scale) Reach(value lua.LValue) {
	if s.walks++; s.walks%looksEvery == 0 {
		s.look()
	}
	var p unsafe.Pointer
	switch v := value.(type) {
	case lua.LNumber:
		s.block(boxes.Address(value))
		return
	case lua.LString:
		if boxes.Shared(value) {
			s.block(boxes.Address(value))
		} else {
			s.sum += int64(unsafe.Sizeof(v))
		}
		if len(v) > 0 {
			s.sum += boxes.Block * int64(s.blocks.AddRange(unsafe.Pointer(unsafe.StringData(string(v))), len(v)))
		}
		return
	case *lua.LTable:
		p = unsafe.Pointer(v)
	case *lua.LFunction:
		p = unsafe.Pointer(v)
	case *lua.LState:
		p = unsafe.Pointer(v)
	default:
		return
	}
	if p != nil && s.objects.Add(p) {
		s.todo = append(s.todo, value)
	}
}

// block counts the block at an address.
func (s *Scale) block(p unsafe.Pointer) {
	if s.blocks.Add(p) {
		s.sum += boxes.Block
	}
}

// weigh adds what v takes and reaches what it holds.
func (s *Scale) weigh(v lua.LValue) {
	switch v := v.(type) {
	case *lua.LTable:
		s.sum += tables.Footprint(v)
		s.Reach(v.Metatable)
		tables.Visit(v, func(key, value lua.LValue) {
			s.Reach(key)
			s.Reach(value)
		})
	case *lua.LFunction:
		s.sum += functionSize
		s.prototype(v.Proto)
		for _, up := range v.Upvalues {
			if up != nil {
				s.sum += upvalueSize
				s.Reach(up.Value())
			}
		}
		if v.Env != nil {
			s.Reach(v.Env)
		}
	case *lua.LState:
		s.sum += machine.Footprint(v)
		for _, r := range machine.Registers(v) {
			if r != nil {
				s.Reach(r)
			}
		}
	}
}
