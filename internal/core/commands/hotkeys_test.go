package commands_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/reply"
)

// fieldOf returns a field of the reply of HOTKEYS GET.
func fieldOf(t *testing.T, v reply.Value, name string) string {
	t.Helper()
	fields, err := v.Slice()[0].Map()
	require.NoError(t, err)
	require.Contains(t, fields, name)
	return fmt.Sprint(fields[name].Plain())
}

// The bytes are those of Redis 8.6: a command with its reply, in EXEC the line of EXEC with all
// that it has replied so far.
func TestHotKeysCountsBytes(t *testing.T) {
	do, _ := follower(t, engine.Options{Server: "redis-8.6"})
	do("HOTKEYS START METRICS 1 NET COUNT 4")
	for _, line := range []string{"SET a 1", "GET a", "MSET a 1 b 2", "SET cc 123456789", "PING", "SPUBLISH c m"} {
		do(line)
	}
	v := do("HOTKEYS GET")
	require.Equal(t, "147", fieldOf(t, v, "net-bytes-all-commands-all-slots"))
	require.Equal(t, "146", fieldOf(t, v, "total-net-bytes"))
	require.Equal(t, "[a 82 cc 41 b 23]", fieldOf(t, v, "by-net-bytes"))
	do("HOTKEYS STOP")
	do("SET a 1")
	require.Equal(t, "147", fieldOf(t, do("HOTKEYS GET"), "net-bytes-all-commands-all-slots"))
}

func TestHotKeysEndsAfterItsDuration(t *testing.T) {
	do, clock := follower(t, engine.Options{Server: "redis-8.6"})
	do("HOTKEYS START METRICS 1 NET DURATION 2")
	clock.Advance(1500 * time.Millisecond)
	do("SET a 1")
	require.Equal(t, "1500", fieldOf(t, do("HOTKEYS GET"), "collection-duration-ms"))
	clock.Advance(time.Second)
	do("SET a 1")
	v := do("HOTKEYS GET")
	require.Equal(t, "0", fieldOf(t, v, "tracking-active"))
	require.Equal(t, "2000", fieldOf(t, v, "collection-duration-ms"))
	require.Equal(t, "32", fieldOf(t, v, "total-net-bytes"))
	require.Equal(t, "OK", do("HOTKEYS RESET").Text())
}

// Of more keys than are counted, the hottest stay.
func TestHotKeysKeepsTheHottest(t *testing.T) {
	do, _ := follower(t, engine.Options{Server: "redis-8.6"})
	do("HOTKEYS START METRICS 1 NET COUNT 1")
	for i := range 1000 {
		do("SET hot 1")
		do("SET cold" + string(rune('a'+i%26)) + strings.Repeat("x", i/26) + " 1")
	}
	require.Equal(t, "[hot 34000]", fieldOf(t, do("HOTKEYS GET"), "by-net-bytes"))
}
