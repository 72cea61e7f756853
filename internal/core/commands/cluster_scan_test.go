package commands_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
)

// A walk finds all keys, also in a slot with so many that it takes several steps while others come
// and go.
func TestClusterScanFindsAllKeys(t *testing.T) {
	do, _ := follower(t, engine.Options{Server: "valkey-9.1", Cluster: true})
	left := map[string]bool{}
	for i := range 2500 {
		for _, key := range []string{fmt.Sprint("{b}", i), fmt.Sprint("k", i)} {
			do("SET " + key + " 1")
			left[key] = true
		}
	}
	steps := 0
	for cursor := "0"; ; {
		v := do("CLUSTERSCAN " + cursor + " COUNT 50").Slice()
		for _, key := range v[1].Slice() {
			delete(left, key.Text())
		}
		if cursor = v[0].Text(); cursor == "0" {
			break
		}
		steps++
		do(fmt.Sprint("SET {b}new", steps, " 1"))
		do(fmt.Sprint("DEL {b}new", steps/2))
	}
	require.Empty(t, left)
	require.Greater(t, steps, 60)
}

// Valkey 9 has several databases in cluster mode: commands about slots see that of the session.
func TestSlotsOfDatabases(t *testing.T) {
	do, _ := follower(t, engine.Options{Server: "valkey-9.1", Cluster: true, Fixed: map[string]string{"cluster-databases": "4"}})
	do("SET {b}0 1")
	do("SELECT 1")
	do("SET {b}1 1")
	do("SET {b}2 1")
	require.Equal(t, "2", fmt.Sprint(do("CLUSTER COUNTKEYSINSLOT 3300").Plain()))
	require.Equal(t, "[{b}2 {b}1]", fmt.Sprint(do("CLUSTER GETKEYSINSLOT 3300 5").Plain()))
	require.Equal(t, "[0 [{b}2 {b}1]]", fmt.Sprint(do("CLUSTERSCAN 0-{b}-0").Plain()))
	require.Contains(t, fmt.Sprint(do("CLUSTER SLOT-STATS SLOTSRANGE 3300 3300").Plain()), "key-count:3")
	do("CLUSTER FLUSHSLOT 3300")
	require.Equal(t, "0", fmt.Sprint(do("DBSIZE").Plain()))
	do("SELECT 0")
	require.Equal(t, "0", fmt.Sprint(do("DBSIZE").Plain()))
}
