// Command supported prints whether the gopher-lua that it is built with is supported. A test builds
// it with others.
package main

import (
	"fmt"

	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
)

func main() { fmt.Println(machine.Supported()) }
