package bitop_test

import (
	"fmt"
	"log"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/bitop"
)

func Example() {
	L := lua.NewState()
	defer L.Close()
	var lib bitop.Library
	L.SetGlobal("bit", lib.Open(L))
	if err := L.DoString("text = bit.tohex(bit.bor(0x0f, bit.lshift(1, 31)))"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(L.GetGlobal("text"))
	// Output: 8000000f
}
