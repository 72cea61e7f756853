package boxes

import (
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Supported returns an error if the values made by this package differ from those of Go's
// conversions.
func Supported() error {
	var b Boxes
	for _, n := range []lua.LNumber{0, 1, 255, 1 << 40, -0.5} {
		if v := b.Number(n); v != lua.LValue(n) || v.Type() != lua.LTNumber {
			return fmt.Errorf("the number %v becomes %v", n, v)
		}
	}
	for n := range longest + 2 {
		s := strings.Repeat("x", n)
		if v := b.String(s); v != lua.LValue(lua.LString(s)) || v.Type() != lua.LTString {
			return fmt.Errorf("a string of %d bytes becomes %v", n, v)
		}
	}
	return nil
}
