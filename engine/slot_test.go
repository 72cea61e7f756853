package engine_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
)

// In cluster mode, a script fails that would fail on a Redis Cluster.
func ExampleOptions_cluster() {
	ctx := context.Background()
	e, err := engine.New(engine.Options{Cluster: true})
	if err != nil {
		panic(err)
	}
	defer e.Close()

	move := engine.NewScript(`#!lua
		return redis.call('SET', KEYS[1] .. ':copy', redis.call('GET', KEYS[1]))`)
	e.Do(ctx, "MSET", "{user1}:name", "ann", "{user1}:age", 41)
	_, err = move.Run(ctx, e, []string{"{user1}:name"})
	fmt.Println(err)

	e.Do(ctx, "SET", "name", "ann")
	_, err = move.Run(ctx, e, []string{"name"})
	fmt.Println(err)
	// Output:
	// <nil>
	// ERR Script attempted to access keys that do not hash to the same slot script: 170e67d6507bfab01c704164b35dd487bae3eca3, on @user_script:2.
}

func ExampleSlot() {
	fmt.Println(engine.Slot("{user1}:name") == engine.Slot("{user1}:age"), engine.Slot("name"))
	// Output: true 5798
}

// A client that waits for a key gets an error when the node loses its slot.
func TestWaitersOfALostSlot(t *testing.T) {
	ctx := context.Background()
	e := newEngine(t, engine.Options{Cluster: true, Config: map[string]string{"cluster-require-full-coverage": "no"}})
	lost := begin(t, e, func() (engine.Value, error) { return e.Do(ctx, "BLPOP", "a", 0) })
	kept := begin(t, e, func() (engine.Value, error) { return e.Do(ctx, "BLPOP", "b", 0) })
	_, err := e.Do(ctx, "CLUSTER", "DELSLOTS", engine.Slot("a"))
	require.NoError(t, err)
	require.EqualError(t, (<-lost).err, "CLUSTERDOWN Hash slot not served")
	_, err = e.Do(ctx, "RPUSH", "b", 1)
	require.NoError(t, err)
	require.NoError(t, (<-kept).err)
}

// Every key is in one slot.
func TestKeysBySlot(t *testing.T) {
	ctx := context.Background()
	e := newEngine(t, engine.Options{Cluster: true})
	for i := range 1000 {
		_, err := e.Do(ctx, "SET", fmt.Sprint("key", i), i)
		require.NoError(t, err)
	}
	sum := int64(0)
	for slot := range engine.Slots {
		v, err := e.Do(ctx, "CLUSTER", "COUNTKEYSINSLOT", slot)
		require.NoError(t, err)
		sum += v.MustInt()
	}
	require.Equal(t, int64(1000), sum)
	require.NoError(t, e.Check(ctx))
}
