package luatext

import (
	"math"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/luac"
)

// SameCode reports whether two texts have the same first line, if it begins with "#!", and compile
// to the same instructions, constants and variables. Lines may differ. Texts that do not compile
// are not the same as any other.
func SameCode(a, b string) bool {
	firstA, bodyA, okA := cut(a)
	firstB, bodyB, okB := cut(b)
	if !okA || !okB || firstA != firstB {
		return false
	}
	x, err := luac.Compile(bodyA, ScriptChunk, luac.Options{})
	if err != nil {
		return false
	}
	y, err := luac.Compile(bodyB, ScriptChunk, luac.Options{})
	return err == nil && sameProto(x.Proto, y.Proto)
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
