package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
)

func ExampleEngine_FCall() {
	ctx := context.Background()
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()

	_, err = e.Do(ctx, "FUNCTION", "LOAD", `#!lua name=stock
redis.register_function('take', function(keys, args)
	if tonumber(redis.call('GET', keys[1]) or 0) < tonumber(args[1]) then return false end
	return redis.call('DECRBY', keys[1], args[1])
end)`)
	if err != nil {
		panic(err)
	}
	e.Do(ctx, "SET", "apples", 5)
	left, err := e.FCall(ctx, "take", []string{"apples"}, 2)
	fmt.Println(left.MustInt(), err)
	left, err = e.FCall(ctx, "take", []string{"apples"}, 4)
	fmt.Println(left.IsNil(), err)
	// Output:
	// 3 <nil>
	// true <nil>
}

const counting = `#!lua name=counting
local n = 0
redis.register_function('count', function() n = n + 1 return n end)
redis.register_function('spin', function() while true do end end)
redis.register_function('writeAndSpin', function(keys) redis.call('set', keys[1], 1) while true do end end)
redis.register_function('deep', function() local function f() return 1 + f() end return f() end)`

func TestAFunctionIsStoppedByItsContext(t *testing.T) {
	ctx := context.Background()
	e, err := engine.New(engine.Options{Config: map[string]string{"busy-reply-threshold": "5"}})
	require.NoError(t, err)
	defer e.Close()
	_, err = e.Do(ctx, "FUNCTION", "LOAD", counting)
	require.NoError(t, err)
	_, err = e.FCall(ctx, "count", nil)
	require.NoError(t, err)

	short, cancel := context.WithCancel(ctx)
	spun := make(chan error, 1)
	go func() {
		_, err := e.FCall(short, "spin", nil)
		spun <- err
	}()
	patience.Until(t, func() bool { // it spins
		_, err := e.Do(ctx, "PING")
		return err != nil && strings.HasPrefix(err.Error(), "BUSY ")
	})
	cancel()
	require.ErrorIs(t, patience.Receive(t, spun), context.Canceled)

	v, err := e.FCall(ctx, "count", nil)
	require.NoError(t, err)
	require.EqualValues(t, 2, v.MustInt(), "a library keeps its locals")
	s, err := e.NewSession()
	require.NoError(t, err)
	v, err = s.FCall(ctx, "count", nil)
	require.NoError(t, err)
	require.EqualValues(t, 3, v.MustInt())
}

func TestALibraryOutlivesStackOverflowAndScriptFlush(t *testing.T) {
	ctx := context.Background()
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	defer e.Close()
	_, err = e.Do(ctx, "FUNCTION", "LOAD", counting)
	require.NoError(t, err)
	_, err = e.FCall(ctx, "deep", nil)
	require.ErrorContains(t, err, "stack overflow")
	_, err = e.Do(ctx, "SCRIPT", "FLUSH")
	require.NoError(t, err)
	for want := range 3 {
		v, err := e.FCall(ctx, "count", nil)
		require.NoError(t, err)
		require.EqualValues(t, want+1, v.MustInt())
	}
}

func TestATextThatNeverEndsIsNotLoaded(t *testing.T) {
	ctx := context.Background()
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	defer e.Close()
	_, err = e.Do(ctx, "FUNCTION", "LOAD", counting)
	require.NoError(t, err)
	_, err = e.Do(ctx, "FUNCTION", "LOAD", "#!lua name=endless\nwhile true do end")
	require.EqualError(t, err, "ERR Error registering functions: ERR FUNCTION LOAD timeout")
	v, err := e.FCall(ctx, "count", nil)
	require.NoError(t, err)
	require.EqualValues(t, 1, v.MustInt())
}
