package tables

import (
	"reflect"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/mirror"
)

// Supported returns an error if lua.LTable does not have the layout that this package expects.
func Supported() error {
	return mirror.Same(reflect.TypeFor[lua.LTable](), reflect.TypeFor[layout]())
}
