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

// SetOwner makes owner the owner of a state and of all threads that it will have. So a Go function
// that many states share can tell whose state calls it.
func SetOwner[T any](L *lua.LState, owner *T) {
	L.G = &(&home{Global: *L.G, owner: unsafe.Pointer(owner)}).Global
}

// Owner returns the owner of the state to which a thread belongs. Caller must have set one, of the
// type T.
func Owner[T any](L *lua.LState) *T { return (*T)((*home)(unsafe.Pointer(L.G)).owner) }
