package luabridge

import (
	"math"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/luac"
)

// CheckText compiles a script, or a library if the first line names one, as Redis does, and drops
// the result. The error is a *[reply.Error] with Redis's text.
func CheckText(source string) error {
	if !IsLibrary(source) {
		_, err := CompileScript(source, CompileLimits{})
		return err
	}
	lib, err := ParseLibrary(source)
	if err != nil {
		return err
	}
	return lib.Compile(CompileLimits{})
}

// IsLibrary reports whether a text is for FUNCTION LOAD: its first line names the library.
func IsLibrary(source string) bool {
	if !strings.HasPrefix(source, "#!") {
		return false
	}
	first, _, _ := strings.Cut(source, "\n")
	return strings.Contains(strings.ToLower(first), "name=")
}

// SameCode reports whether two texts have the same first line, if it begins with "#!", and compile
// to the same instructions, constants and variables. Lines may differ. Texts that do not compile
// are not the same as any other.
func SameCode(a, b string) bool {
	firstA, bodyA := cutShebang(a)
	firstB, bodyB := cutShebang(b)
	if firstA != firstB {
		return false
	}
	x, err := luac.Compile(bodyA, chunkName, luac.Options{})
	if err != nil {
		return false
	}
	y, err := luac.Compile(bodyB, chunkName, luac.Options{})
	return err == nil && sameProto(x.Proto, y.Proto)
}

// cutShebang splits a text behind its first line if that begins with "#!".
func cutShebang(source string) (first, rest string) {
	if !strings.HasPrefix(source, "#!") {
		return "", source
	}
	if end := strings.IndexByte(source, '\n'); end >= 0 {
		return source[:end], source[end:]
	}
	return source, ""
}

func sameProto(a, b *lua.FunctionProto) bool {
	return a.NumUpvalues == b.NumUpvalues && a.NumParameters == b.NumParameters && a.IsVarArg == b.IsVarArg &&
		a.NumUsedRegisters == b.NumUsedRegisters && slices.Equal(a.Code, b.Code) &&
		slices.EqualFunc(a.Constants, b.Constants, sameConstant) && slices.Equal(a.DbgUpvalues, b.DbgUpvalues) &&
		slices.EqualFunc(a.DbgLocals, b.DbgLocals, func(x, y *lua.DbgLocalInfo) bool { return *x == *y }) &&
		slices.EqualFunc(a.FunctionPrototypes, b.FunctionPrototypes, sameProto)
}

// sameConstant compares numbers by their bits: 0 and -0 differ.
func sameConstant(a, b lua.LValue) bool {
	x, isNumber := a.(lua.LNumber)
	y, ok := b.(lua.LNumber)
	if isNumber && ok {
		return math.Float64bits(float64(x)) == math.Float64bits(float64(y))
	}
	return a == b
}
