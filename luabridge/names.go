package luabridge

import "github.com/redmoon-lua/redmoon/luabridge/internal/globals"

// GlobalNames returns the names of the globals that scripts can read, in Redis's order. In the text
// of a function library KEYS and ARGV do not exist.
func GlobalNames() []string { return globals.Order() }
