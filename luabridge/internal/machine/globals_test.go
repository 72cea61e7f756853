package machine

import (
	"testing"

	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
)

func TestAGlobalIsRememberedUntilItChanges(t *testing.T) {
	L := lua.NewState()
	defer L.Close()
	env, other := L.NewTable(), L.NewTable()
	fn := &lua.LFunction{Env: env, Proto: &lua.FunctionProto{Constants: []lua.LValue{lua.LString("name"), lua.LString("none")}}}
	m, cf := &Machine{}, &frame{Fn: fn}
	m.SetGlobals(env, env.RawGetString)
	env.RawSetString("name", lua.LNumber(1))
	for range 3 {
		require.Equal(t, lua.LNumber(1), m.global(cf, 0))
		require.Nil(t, m.global(cf, 1))
	}
	env.RawSetString("name", lua.LNumber(2))
	m.ForgetGlobals()
	require.Equal(t, lua.LNumber(2), m.global(cf, 0))
	fn.Env = other
	require.Nil(t, m.global(cf, 0))
	m.SetGlobals(other, other.RawGetString)
	other.RawSetString("name", lua.LNumber(3))
	require.Equal(t, lua.LNumber(3), m.global(cf, 0))
}

// More names than there are slots: each keeps its own value.
func TestManyGlobals(t *testing.T) {
	L := lua.NewState()
	defer L.Close()
	env := L.NewTable()
	proto := &lua.FunctionProto{}
	for i := range 1000 {
		name := lua.LString(lua.LNumber(i).String())
		proto.Constants = append(proto.Constants, name)
		env.RawSetString(string(name), lua.LNumber(i))
	}
	m, cf := &Machine{}, &frame{Fn: &lua.LFunction{Env: env, Proto: proto}}
	m.SetGlobals(env, env.RawGetString)
	for range 3 {
		for i := range proto.Constants {
			require.Equal(t, lua.LNumber(i), m.global(cf, uint32(i)))
		}
	}
}

// Slots behind the first ones are made when names displace each other.
func TestTheCacheOfGlobalsGrows(t *testing.T) {
	env := &lua.LTable{Metatable: lua.LNil}
	proto := &lua.FunctionProto{}
	for i := range 200 {
		name := lua.LString(lua.LNumber(i).String())
		proto.Constants = append(proto.Constants, name)
		env.RawSetString(string(name), lua.LNumber(i))
	}
	looks := 0
	m, cf := &Machine{}, &frame{Fn: &lua.LFunction{Env: env, Proto: proto}}
	m.SetGlobals(env, func(name string) lua.LValue { looks++; return env.RawGetString(name) })
	for range 100 {
		m.global(cf, 0)
	}
	require.Equal(t, 1, looks)
	require.Nil(t, m.globals.more)
	for range 10 {
		for i := range proto.Constants {
			require.Equal(t, lua.LNumber(i), m.global(cf, uint32(i)))
		}
	}
	require.NotNil(t, m.globals.more)
	looks = 0
	for i := range proto.Constants {
		m.global(cf, uint32(i))
	}
	require.Less(t, looks, len(proto.Constants)/2)
}
