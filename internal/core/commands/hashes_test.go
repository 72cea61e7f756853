package commands

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/server"
)

func TestHashEvents(t *testing.T) {
	testEvents(t, []eventCase{
		{"hset h a 1 b 2", "hset h"},
		{"hset h a 1", "hset h"},
		{"hsetnx h a 1", ""},
		{"hsetnx h c 1", "hset h"},
		{"hmset h a 1 z 2", "hset h"},
		{"hdel h nope", ""},
		{"hdel h a nope b", "hdel h"},
		{"hdel h c z", "hdel h,del h"},
		{"hdel h c", ""},
		{"hincrby h n 5", "hincrby h"},
		{"hincrby h n 0", "hincrby h"},
		{"hincrbyfloat h n 1.5", "hincrbyfloat h"},
		{"hincrbyfloat g n 1", "hincrbyfloat g"},
		{"hincrby k n 1", "hincrby k"},
		{"hsetnx m n 1", "hset m"},
		{"hmset o n 1", "hset o"},
		{"hset h f 1 f 2 g 3", "hset h"},
	})
}

// eventCase is a command and the events that redis-server 7.0.15 publishes for it with
// notify-keyspace-events AE.
type eventCase struct{ command, events string }

func testEvents(t *testing.T, cases []eventCase) { testEventsOf(t, servers.Redis70, cases) }

// testEventsOf is testEvents for a later version, whose events are those of redis-server 8.0.2.
func testEventsOf(t *testing.T, compat servers.Server, cases []eventCase) {
	s := server.NewServer(datastore.New(datastore.Options{}), Of(compat), slog.New(slog.NewTextHandler(io.Discard, nil)))
	sess := s.NewSession("", "")
	var events []string
	s.Store.Listen(func(ch *datastore.Change) {
		if ch.Class != datastore.ClassNew { // A does not include n
			events = append(events, ch.Event+" "+ch.Key)
		}
	})
	for _, c := range cases {
		events = nil
		v := s.Execute(sess, cmdtable.DoorClient, strings.Fields(c.command))
		require.False(t, v.IsError(), "%s: %s", c.command, v.Text())
		require.Equal(t, c.events, strings.Join(events, ","), c.command)
		require.NoError(t, s.Store.Check())
	}
}

// benchCommand runs one command with arguments that args makes before the timer starts.
func benchCommand(b *testing.B, setup []string, args func(i int) string) {
	s := server.NewServer(datastore.New(datastore.Options{}), Of(servers.Redis70), slog.New(slog.NewTextHandler(io.Discard, nil)))
	sess := s.NewSession("", "")
	for _, line := range setup {
		s.Execute(sess, cmdtable.DoorClient, strings.Fields(line))
	}
	calls := make([][]string, 100_000)
	for i := range calls {
		calls[i] = strings.Fields(args(i * 7919 % len(calls)))
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		s.Execute(sess, cmdtable.DoorClient, calls[i%len(calls)])
		i++
	}
}

// benchLines returns n command lines.
func benchLines(n int, format string) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf(format, i)
	}
	return lines
}

func BenchmarkHashes(b *testing.B) {
	full := benchLines(100_000, "hset h user:%[1]d %[1]d")
	for _, c := range []struct {
		name, format string
		setup        []string
	}{
		{"HSETnew", "hset h user:%d v", nil},
		{"HSET", "hset h user:%d v", full},
		{"HGET", "hget h user:%d", full},
		{"HEXISTS", "hexists h user:%d", full},
		{"HEXISTSmissing", "hexists h nobody:%d", full},
		{"HINCRBY", "hincrby h user:%d 1", full},
		{"HEXISTSlistpack100", "hexists h user:%d", full[:100]},
	} {
		b.Run(c.name, func(b *testing.B) {
			benchCommand(b, c.setup, func(i int) string { return fmt.Sprintf(c.format, i) })
		})
	}
}
