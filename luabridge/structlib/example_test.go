package structlib_test

import (
	"fmt"
	"log"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/structlib"
)

func Example() {
	L := lua.NewState()
	defer L.Close()
	var lib structlib.Library
	L.SetGlobal("struct", lib.Open(L))
	err := L.DoString(`
		local packed = struct.pack('>I2s', 1000, 'ann')
		size, number, name = #packed, struct.unpack('>I2s', packed)`)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(L.GetGlobal("size"), L.GetGlobal("number"), L.GetGlobal("name"))
	// Output: 6 1000 ann
}
