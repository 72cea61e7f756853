package machine

import (
	"unsafe"

	lua "github.com/yuin/gopher-lua"
)

// home is the Global of a state that has an owner. All threads of a state have the same Global.
type home struct {
	lua.Global
	owner unsafe.Pointer
}

// SetOwner makes owner, a pointer, the owner of a state and of all threads that it will have. So a
// Go function that many states share finds out whose state calls it.
func SetOwner(L *lua.LState, owner unsafe.Pointer) { L.G = &(&home{Global: *L.G, owner: owner}).Global }

// Owner returns the owner of the state to which a thread belongs. Caller must have set one.
func Owner(L *lua.LState) unsafe.Pointer { return (*home)(unsafe.Pointer(L.G)).owner }
