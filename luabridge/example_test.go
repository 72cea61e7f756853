package luabridge_test

import (
	"fmt"

	"github.com/redmoon-lua/redmoon/luabridge"
	"github.com/redmoon-lua/redmoon/reply"
)

// counter is a host that knows one command.
type counter map[string]int64

func (c counter) Call(args []string) reply.Value {
	if args[0] != "incr" {
		return reply.Err("ERR Unknown Redis command called from script")
	}
	c[args[1]]++
	return reply.Int(c[args[1]])
}
func (c counter) SetResp(int)                    {}
func (c counter) SetEffects(bool, bool)          {}
func (c counter) CheckACL([]string) (bool, bool) { return true, true }

func (c counter) InnerError(reply.Value) {}

func ExampleVM() {
	vm := luabridge.New(luabridge.Options{})
	defer vm.Close()
	s, err := vm.Compile(`redis.call('incr', KEYS[1]) return redis.call('incr', KEYS[1]) * ARGV[1]`)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(vm.Run(counter{}, s, []string{"hits"}, []string{"10"}).MustInt())
	// Output: 20
}

func ExampleVM_Compile() {
	vm := luabridge.New(luabridge.Options{})
	defer vm.Close()
	_, err := vm.Compile("return 1 +")
	fmt.Println(err)
	// Output: ERR Error compiling script (new function): user_script:1: unexpected symbol near '<eof>'
}

func ExampleTool() {
	tool := luabridge.NewTool(luabridge.ToolOptions{})
	defer tool.Close()
	tool.Globals().Set("twice", tool.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) {
		if _, err := tool.Call(c.Arg(0)); err != nil {
			return nil, err
		}
		return tool.Call(c.Arg(0))
	}))
	code, err := tool.Load("count.lua", "local n = 0\nreturn twice(function() n = n + 1 return n end)")
	if err != nil {
		fmt.Println(err)
		return
	}
	results, err := tool.Call(code)
	fmt.Println(results[0].Text(), err)

	code, _ = tool.Load("fails.lua", "local function f() error('boom') end\ntwice(f)")
	_, err = tool.Call(code)
	fmt.Println(err)
	// Output:
	// 2 <nil>
	// fails.lua:1: boom
}
