package luatext_test

import (
	"fmt"

	"github.com/redmoon-lua/redmoon/luabridge/luatext"
)

// A text that Redis would refuse.
func ExampleCheck() {
	fmt.Println(luatext.Check("#!lua flags=no-writes\nreturn redis.call('GET' KEYS[1])"))
	// Output: ERR Error compiling script (new function): user_script:2: ')' expected near 'KEYS'
}

// What the first line of a script declares.
func ExampleScriptFlags() {
	flags := luatext.ScriptFlags("#!lua flags=no-writes,allow-stale\nreturn 1")
	fmt.Println(flags.FlagNames(), flags&luatext.NoWrites != 0)
	// Output: [no-writes allow-stale] true
}
