package luabridge

import (
	"cmp"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// siteAt returns the site of the instruction that a function on the stack is at, with the instruction;
// nil for functions that are no Lua code of a script.
func (vm *VM) siteAt(L *lua.LState, level int) (s *site, inst uint32) {
	dbg, ok := L.GetStack(level)
	if !ok {
		return nil, 0
	}
	fn, pc := frameOf(dbg)
	if fn.IsG || pc < 0 {
		return nil, 0
	}
	info := vm.script.debug[fn.Proto]
	if info == nil {
		info = vm.loaded[fn.Proto]
	}
	if info == nil || pc >= len(info.sites) {
		return nil, 0
	}
	return info.sites[pc], fn.Proto.Code[pc]
}

// frameOf is the function of a frame, and the index of the instruction that it is at.
func frameOf(dbg *lua.Debug) (fn *lua.LFunction, pc int) {
	frame := reflect.ValueOf(dbg).Elem().FieldByName("frame").Elem()
	return (*lua.LFunction)(frame.FieldByName("Fn").UnsafePointer()), int(frame.FieldByName("Pc").Int()) - 1
}

// chunkOf is the name of the chunk that a frame's function stands in, as it was given to Lua: with @ or = before it, and
// not shortened.
func (vm *VM) chunkOf(dbg *lua.Debug) string {
	if fn, _ := frameOf(dbg); vm.loaded[fn.Proto] != nil {
		return vm.loaded[fn.Proto].chunk
	}
	return "@" + dbg.Source
}

func (s *site) name(i int) string {
	if s == nil || i >= len(s.names) {
		return ""
	}
	return s.names[i]
}

// typeError is Lua's message about a value of the wrong type.
func typeError(what, name, typ string) string {
	if name == "" {
		return "attempt to " + what + " a " + typ + " value"
	}
	return "attempt to " + what + " " + name + " (a " + typ + " value)"
}

// What gopher-lua says, in our words: one pattern for each of its messages.
var (
	saysIndex   = regexp.MustCompile(`(?s)^attempt to index a non-table object\((\w+)\) with key '.*'$`)
	saysArith   = regexp.MustCompile(`^cannot perform \w+ operation between (\w+) and (\w+)$`)
	saysCompare = regexp.MustCompile(`^attempt to compare (\w+) with (\w+)$`)
	saysBadArg  = regexp.MustCompile(`(?s)^bad argument #(\d+) to .*? \((.*)\)$`)
)

// translate words an error that gopher-lua raised as Lua does. message may begin with a
// position.
func (vm *VM) translate(L *lua.LState, message string) string {
	where := vm.where(L, 0)
	if where != "" { // a Lua function: the VM itself complains
		if rest, ok := strings.CutPrefix(message, where); ok {
			return where + vm.translateVM(L, rest)
		}
		return message
	}
	where = vm.where(L, 1)
	if rest, ok := strings.CutPrefix(message, cmp.Or(where, " ")); ok {
		if m := saysBadArg.FindStringSubmatch(rest); m != nil {
			n, _ := strconv.Atoi(m[1])
			problem := m[2]
			if n > L.GetTop()-1 { // the message itself is on the stack
				problem = strings.TrimSuffix(problem, "got nil") + map[bool]string{true: "got no value"}[strings.HasSuffix(problem, "got nil")]
			}
			return where + vm.argumentError(L, n, problem)
		}
	}
	return message
}

// argumentError words a complaint about an argument after the way the function was called.
func (vm *VM) argumentError(L *lua.LState, n int, problem string) string {
	s, inst := vm.siteAt(L, 1)
	kind, name, _ := strings.Cut(s.name(0), " ")
	switch {
	case s != nil && int(inst>>26) == lua.OP_TFORLOOP: // in a register of the loop's own
		name = "'(for generator)'"
	case name == "":
		name = "'?'"
	}
	if kind == "method" {
		if n--; n == 0 {
			return "calling " + name + " on bad self (" + problem + ")"
		}
	}
	return "bad argument #" + strconv.Itoa(n) + " to " + name + " (" + problem + ")"
}

func (vm *VM) translateVM(L *lua.LState, message string) string {
	s, inst := vm.siteAt(L, 0)
	op := int(inst >> 26)
	if m := saysIndex.FindStringSubmatch(message); m != nil {
		name, object := s.name(0), int(inst&0x1ff)
		switch op {
		case lua.OP_SELF:
			name = s.name(1)
		case lua.OP_SETTABLE, lua.OP_SETTABLEKS:
			object = int(inst >> 18 & 0xff)
		}
		if typeOf(L, object) != m[1] { // it is what an __index or __newindex leads to
			name = ""
		}
		return typeError("index", name, m[1])
	}
	if m := saysArith.FindStringSubmatch(message); m != nil {
		if m[1] != "number" {
			return typeError("perform arithmetic on", s.name(0), m[1])
		}
		return typeError("perform arithmetic on", s.name(1), m[2])
	}
	if m := saysCompare.FindStringSubmatch(message); m != nil {
		if m[1] == m[2] {
			return "attempt to compare two " + m[1] + " values"
		}
		return message
	}
	register := int(inst >> 18 & 0xff)
	switch message {
	case "attempt to call a non-function object":
		name := s.name(0)
		if op == lua.OP_TFORLOOP {
			register, name = register+3, ""
		}
		return typeError("call", name, typeOf(L, register))
	case "__unm undefined":
		return typeError("perform arithmetic on", s.name(0), typeOf(L, int(inst&0x1ff)))
	case "__len undefined":
		return typeError("get length of", s.name(0), typeOf(L, int(inst&0x1ff)))
	case "for statement init must be a number":
		return "'for' initial value must be a number"
	case "for statement limit must be a number":
		return "'for' limit must be a number"
	case "for statement step must be a number":
		return "'for' step must be a number"
	case "registry overflow":
		return "stack overflow"
	}
	return message
}

// typeOf is the type of what a register of the running Lua function holds.
func typeOf(L *lua.LState, register int) string {
	const constant = 1 << 8
	if dbg, ok := L.GetStack(0); ok && register&constant == 0 {
		_, v := L.GetLocal(dbg, register+1)
		return v.Type().String()
	}
	return lua.LNil.Type().String()
}

// blame raises the error that v, operand n of the running instruction, is no value to do what with.
func (vm *VM) blame(L *lua.LState, what string, n int, v lua.LValue) {
	name := ""
	if n >= 0 {
		s, _ := vm.siteAt(L, 0)
		name = s.name(n)
	}
	vm.raise(L, lua.LString(vm.where(L, 0)+typeError(what, name, v.Type().String())))
}
