package luabridge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/luabridge"
	"github.com/redmoon-lua/redmoon/reply"
)

// scriptedDebugger calls functions of a test, where they are set, and writes down the rest.
type scriptedDebugger struct {
	line     func(s *luabridge.Stack, line int)
	call     func(s *luabridge.Stack, args []string)
	reply    func(s *luabridge.Stack, args []string, v reply.Value)
	raise    func(s *luabridge.Stack, v luabridge.Value, caught bool)
	brk      func(s *luabridge.Stack) bool
	print    func(s *luabridge.Stack, values []luabridge.Value)
	reported []string
}

func (d *scriptedDebugger) report(format string, args ...any) {
	d.reported = append(d.reported, fmt.Sprintf(format, args...))
}

func (d *scriptedDebugger) Line(s *luabridge.Stack, line int) {
	if d.line != nil {
		d.line(s, line)
	}
}

func (d *scriptedDebugger) Call(s *luabridge.Stack, args []string) {
	d.report("call %s", strings.Join(args, " "))
	if d.call != nil {
		d.call(s, args)
	}
}

func (d *scriptedDebugger) Reply(s *luabridge.Stack, args []string, v reply.Value) {
	d.report("reply %s %s", strings.Join(args, " "), v.Text())
	if d.reply != nil {
		d.reply(s, args, v)
	}
}

func (d *scriptedDebugger) Raise(s *luabridge.Stack, v luabridge.Value, caught bool) {
	d.report("raise %s %v", show(v), caught)
	if d.raise != nil {
		d.raise(s, v, caught)
	}
}

func (d *scriptedDebugger) Complain(_ *luabridge.Stack, text string) { d.report("complain %s", text) }

func (d *scriptedDebugger) Breakpoint(s *luabridge.Stack) bool {
	d.report("breakpoint")
	return d.brk == nil || d.brk(s)
}

func (d *scriptedDebugger) Print(s *luabridge.Stack, values []luabridge.Value) {
	var texts []string
	for _, v := range values {
		texts = append(texts, show(v))
	}
	d.report("print %s", strings.Join(texts, " "))
	if d.print != nil {
		d.print(s, values)
	}
}

func (d *scriptedDebugger) Log(_ *luabridge.Stack, level int, text string) {
	d.report("log %d %s", level, text)
}

// show writes a value down.
func show(v luabridge.Value) string {
	switch v.Kind() {
	case luabridge.NilKind:
		return "nil"
	case luabridge.BooleanKind:
		return fmt.Sprint(v.Bool())
	case luabridge.NumberKind:
		return v.Text()
	case luabridge.StringKind:
		return fmt.Sprintf("%q", v.Text())
	case luabridge.TableKind:
		var fields []string
		for _, f := range v.Fields() {
			fields = append(fields, show(f.Key)+"="+show(f.Value))
		}
		return "{" + strings.Join(fields, " ") + "}"
	}
	return v.Kind().String()
}

func showAll(vars []luabridge.Variable) string {
	var out []string
	for _, v := range vars {
		out = append(out, v.Name+"="+show(v.Value))
	}
	return strings.Join(out, " ")
}

// commands is a host that runs a few commands of its own.
type commands struct{ luabridge.Host }

func (commands) Call(args []string) reply.Value {
	if args[0] == "FAIL" {
		return reply.Err("ERR failed")
	}
	return reply.Bulk(strings.Join(args, "+"))
}

func (commands) InnerError(reply.Value) {}

func (commands) SetResp(int) {}

func (commands) SetEffects(bool, bool) {}

// debug runs a script under a debugger and returns its reply.
func debug(t *testing.T, d luabridge.Debugger, src string, keys ...string) reply.Value {
	t.Helper()
	vm := luabridge.New(luabridge.Options{})
	t.Cleanup(vm.Close)
	s, err := vm.Compile(src)
	require.NoError(t, err)
	vm.Debug(d)
	return vm.Run(commands{}, s, keys, []string{"arg"})
}

// localsAt writes down the locals at each line.
func localsAt(t *testing.T, src string) []string {
	var out []string
	d := &scriptedDebugger{line: func(s *luabridge.Stack, line int) {
		out = append(out, fmt.Sprintf("%d: %s", line, showAll(s.Frames()[0].Locals())))
	}}
	debug(t, d, src)
	return out
}

func TestDebuggerLocals(t *testing.T) {
	require.Equal(t, []string{
		"1: ",
		"2: a=1",
		"3: a=1 b=2",
		"4: a=1 b=2 a=3",
		"6: a=1 b=2",
		`7: a=1 b=2 (for index)=1 (for limit)=2 (for step)=1 i=1`,
		`6: a=1 b=2 (for index)=1 (for limit)=2 (for step)=1`,
		`7: a=1 b=2 (for index)=2 (for limit)=2 (for step)=1 i=2`,
		`6: a=1 b=2 (for index)=2 (for limit)=2 (for step)=1`,
		"9: a=1 b=2",
	}, localsAt(t, `local a = 1
local b = 2
do local a = 3
  b = b + 0
end
for i = 1, 2 do
  b = b + 0
end
return a`))
}

func TestDebuggerIsNotifiedOfErrorsThatTheRedisLibraryMakes(t *testing.T) {
	d := &scriptedDebugger{}
	debug(t, d,
		"redis.error_reply('x') redis.error_reply('-A b') redis.error_reply() pcall(redis.call) redis.setresp(3) redis.pcall({}) "+
			"pcall(redis.log, 9, 'x') pcall(redis.call, 'FAIL')")
	require.Equal(t, []string{
		"complain -x",
		"complain -A b",
		"complain wrong number or type of arguments",
		"complain Please specify at least one argument for this redis lib call",
		"complain Lua redis lib command arguments must be strings or integers",
		"complain Invalid debug level.",
	}, slices.DeleteFunc(d.reported, func(e string) bool { return !strings.HasPrefix(e, "complain") }))
}
