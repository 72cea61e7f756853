package machine

import (
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/boxes"
	"github.com/redmoon-lua/redmoon/luabridge/internal/mirror"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// Version is the version of gopher-lua that this package is written for.
const Version = "v1.1.2"

const module = "github.com/yuin/gopher-lua"

// Supported returns an error if the program is built with a gopher-lua that this package does not
// support. It checks the layouts of structs, the table of handlers and what they do, and the
// encoding of instructions. The error names the supported version.
func Supported() error {
	if err := supported(); err != nil {
		return fmt.Errorf("redmoon needs %s %s; the program is built with %s: %w", module, Version, linked(), err)
	}
	return nil
}

// linked returns the version of gopher-lua in the program, if it is known.
func linked() string {
	info, ok := debug.ReadBuildInfo()
	if ok {
		for _, m := range info.Deps {
			if m.Path == module {
				if m.Replace != nil {
					return strings.TrimSpace(m.Version + ", replaced by " + m.Replace.Path + " " + m.Replace.Version)
				}
				return m.Version
			}
		}
	}
	return "another"
}

func supported() (err error) {
	defer func() { // such as a nil pointer
		if p := recover(); p != nil {
			err = fmt.Errorf("a check of it failed: %v", p)
		}
	}()
	for _, check := range []func() error{structs, tables.Supported, boxes.Supported, frames, table, behaviour} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// structs compares the layouts of structs.
func structs() error {
	theirs := reflect.TypeFor[lua.LState]()
	for _, pair := range []struct{ theirs, ours reflect.Type }{
		{theirs, reflect.TypeFor[state]()},
		{pointee(theirs, "reg"), reflect.TypeFor[registry]()},
		{pointee(theirs, "currentFrame"), reflect.TypeFor[frame]()},
		{pointee(reflect.TypeFor[lua.Debug](), "frame"), reflect.TypeFor[frame]()},
		{reflect.TypeFor[lua.Upvalue](), reflect.TypeFor[upvalue]()},
	} {
		if err := mirror.Same(pair.theirs, pair.ours); err != nil {
			return err
		}
	}
	texts, ok := reflect.TypeFor[lua.FunctionProto]().FieldByName("stringConstants")
	if !ok || texts.Type != reflect.TypeFor[[]string]() {
		return fmt.Errorf("lua.FunctionProto has no stringConstants that are a []string")
	}
	return nil
}

func pointee(t reflect.Type, field string) reflect.Type {
	if f, ok := t.FieldByName(field); ok && f.Type.Kind() == reflect.Pointer {
		return f.Type.Elem()
	}
	return reflect.TypeFor[struct{}]()
}

// frames checks how a state stores its frames.
func frames() error {
	L := lua.NewState(lua.Options{SkipOpenLibs: true, MinimizeStackMemory: true, CallStackSize: FrameRoom})
	defer L.Close()
	stack := reflect.ValueOf(L).Elem().FieldByName("stack").Elem().Type()
	if stack.Kind() != reflect.Pointer {
		return fmt.Errorf("gopher-lua keeps its frames in a %s", stack)
	}
	if err := mirror.Same(stack.Elem(), reflect.TypeFor[frameStack]()); err != nil {
		return err
	}
	if n := len(look(L).stack.stack.segments); n != FrameRoom/framesPerSegment {
		return fmt.Errorf("gopher-lua makes %d segments for %d frames", n, FrameRoom)
	}
	return nil
}

// table checks that every instruction has a handler. If gopher-lua renamed its table, all handlers
// of ours would be nil.
func table() error {
	for op, handler := range handlers {
		if handler == nil {
			return fmt.Errorf("gopher-lua has no handler for instruction %d", op)
		}
		if name := runtime.FuncForPC(reflect.ValueOf(handler).Pointer()).Name(); !strings.HasPrefix(name, module+".") {
			return fmt.Errorf("the handler for instruction %d is %s", op, name)
		}
	}
	return nil
}

// program uses every instruction that gopher-lua's compiler emits, and raises an error if one does
// something else.
const program = `
local trace = {}
local function note(v) trace[#trace + 1] = tostring(v) end
local a, b, c = 7, 2
note(a + b) note(a - b) note(a * b) note(a / b) note(a % b) note(a ^ b) note(-a) note(not a) note(#'text') note(a .. b .. 'c')
note(c) note(a == b) note(a < b) note(a <= b) note(a ~= b) note(a > b)
note(a and b) note(c or a) note(a == 7 and 'seven' or 'other')
local list = {1, 2, 3, x = 'x', ['y z'] = 'y', note = function(self, v) note(self.x .. v) end}
list:note('!') list[2] = 'two' list.x = list[2] list['k' .. a] = list.x
note(list.k7) note(#list)
for i = 3, 1, -1 do note(i) end
for k, v in ipairs(list) do note(k) note(v) end
local fs = {}
for i = 1, 2 do
  local up = i
  fs[i] = function(d) up = up + d return up end
end
note(fs[1](10)) note(fs[1](1)) note(fs[2](1))
local function va(...)
  local x, y = ...
  return y, x, select('#', ...)
end
local p, q, r = va(1, 2, 3)
note(p) note(q) note(r) note((va(5)))
local function tail(n) if n == 0 then return 'end' end return tail(n - 1) end
note(tail(300))
global = 'g' note(global)
local n = 0
while true do n = n + 1 if n > 3 then break end end
repeat local m = n n = n - 1 until m == 1
note(n)
note(select(2, pcall(function() return list.none.x end)) ~= nil)
do local x, y x, y = a, b note(x) note(y) end
if a then note('yes') else note('no') end
if not c then note('none') end
return table.concat(trace, ' ')`

const want = `9 5 14 3.5 1 49 -7 false 4 72c nil false false false true true 2 7 seven x! two 3 3 2 1 1 1 2 two 3 3 11 12 3 2 1 3 nil ` +
	`end g 0 true 7 2 yes none`

// maxSteps is more than program needs.
const maxSteps = 100_000

// behaviour runs program by the handlers. It succeeds only if the handlers, opcodes, encodings,
// frames and registers are as this package expects.
func behaviour() error {
	L := lua.NewState(lua.Options{SkipOpenLibs: true, MinimizeStackMemory: true, CallStackSize: FrameRoom, RegistrySize: 1024})
	defer L.Close()
	for _, open := range []lua.LGFunction{lua.OpenBase, lua.OpenTable} {
		L.Push(L.NewFunction(open))
		L.Call(0, 0)
	}
	fn, err := L.LoadString(program)
	if err != nil {
		return err
	}
	var used [len(handlers)]bool
	steps := 0
	stock := look(L).mainLoop
	look(L).mainLoop = func(L *lua.LState, base *frame) {
		s := look(L)
		if s.currentFrame == nil || s.currentFrame.Fn.IsG {
			stock(L, base)
			return
		}
		for {
			cf := s.currentFrame
			inst := cf.Fn.Proto.Code[cf.Pc]
			cf.Pc++
			op := int(inst >> 26)
			used[op] = true
			if steps++; steps > maxSteps {
				L.RaiseError("it does not end")
			}
			if handlers[op](L, inst, base) == 1 {
				return
			}
		}
	}
	L.Push(fn)
	if err := L.PCall(0, 1, nil); err != nil {
		what := err.Error()
		if api, ok := err.(*lua.ApiError); ok {
			what = api.Object.String() // without the stack
		}
		return fmt.Errorf("a program fails when it is run by the handlers: %s", what)
	}
	if got := L.ToString(-1); got != want {
		return fmt.Errorf("a program gives %q when it is run by the handlers, not %q", got, want)
	}
	for op, ok := range used {
		if !ok && op != lua.OP_NOP {
			return fmt.Errorf("the program does not use instruction %d", op)
		}
	}
	return nil
}
