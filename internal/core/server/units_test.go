package server

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/reply"
)

// bare is a server without commands.
func bare() Control {
	table := cmdtable.NewTable(servers.Redis70, nil)
	return NewServer(datastore.New(datastore.Options{}), NewCommands(table, nil), slog.New(slog.DiscardHandler))
}

func TestErrorsAreCountedByTheirCode(t *testing.T) {
	s := bare()
	short, long := strings.Repeat("S", 30), strings.Repeat("L", 31)
	for _, text := range []string{"ERR a", "WRONGTYPE b", "ERR c", "MY own", "NOCODE", long + " x", short + " x"} {
		s.Stats.CountError(reply.Err(text))
	}
	s.Stats.CountError(reply.Counted(reply.Err("ERR d")))
	require.Equal(t, map[string]int64{"ERR": 4, "WRONGTYPE": 1, "MY": 1, short: 1}, s.Stats.Errors)
	require.EqualValues(t, 7, s.Stats.ErrorReplies)
	for i := range 2 * MaxErrorStats {
		s.Stats.CountError(reply.Err(fmt.Sprintf("CODE%d x", i)))
	}
	s.Stats.CountError(reply.Err("OOM x"))
	require.EqualValues(t, 1, s.Stats.Errors["OOM"], "a code of Redis has its own counter")
	require.EqualValues(t, MaxErrorStats+4, s.Stats.Errors[ErrorsOverflow])
}

func TestTheSlowlogKeepsTheNewestCommands(t *testing.T) {
	s, spec := bare(), &cmdtable.Spec{Name: "get"}
	require.NoError(t, s.Config.Fix("slowlog-max-len", "3"))
	s.Config.SlowlogSlowerThan = 100
	sess := &Session{connection: connection{Addr: "1.2.3.4:5"}, Name: "n"}
	for micros := range int64(200) {
		s.noteSlow(sess, cmdtable.DoorClient, spec, []string{"get", "k"}, micros)
	}
	var ids []int64
	for _, e := range s.Slowlog.Entries {
		require.Equal(t, e.ID+100, e.Value)
		ids = append(ids, e.ID)
	}
	require.Equal(t, []int64{97, 98, 99}, ids, "what took less than the limit has no entry")
	s.noteSlow(sess, cmdtable.DoorClient, &cmdtable.Spec{Name: "x", Flags: cmdtable.SkipSlowlog}, []string{"x"}, 1000)
	s.Config.SlowlogSlowerThan = -1
	s.noteSlow(sess, cmdtable.DoorClient, spec, []string{"get"}, 1000)
	require.EqualValues(t, 100, s.Slowlog.nextID)
}

func TestLongCommandLinesAreShortened(t *testing.T) {
	long := strings.Repeat("x", 130)
	require.Equal(t, []string{"a", long[:128], long[:128] + "... (2 more bytes)"}, shortArgs([]string{"a", long[:128], long}))
	for n, want := range map[int]string{31: "30", 32: "31", 33: "... (2 more arguments)", 100: "... (69 more arguments)"} {
		args := make([]string, n)
		for i := range args {
			args[i] = fmt.Sprint(i)
		}
		short := shortArgs(args)
		require.Len(t, short, min(n, 32))
		require.Equal(t, want, short[len(short)-1])
	}
}

// The entries are those of SLOWLOG GET of redis-server 7.0.15.
func TestPasswordsAreHidden(t *testing.T) {
	rows := cmdrows.TableOf(servers.Redis70)
	for line, want := range map[string]string{
		"auth p":                                    "auth *",
		"auth u p":                                  "auth * *",
		"hello 3 auth u p setname n":                "hello 3 auth * * setname n",
		"hello 3 setname n":                         "hello 3 setname n",
		"config set requirepass p":                  "config set requirepass *",
		"config set timeout 1 MASTERAUTH p":         "config set timeout 1 MASTERAUTH *",
		"config set masteruser u":                   "config set masteruser *",
		"config set timeout requirepass":            "config set timeout requirepass",
		"acl setuser u on >p":                       "acl setuser * * *",
		"migrate h 1 k 0 100 auth p":                "migrate h 1 k 0 100 auth *",
		"migrate h 1 k 0 100 copy auth2 u p keys k": "migrate h 1 k 0 100 copy auth2 * * keys k",
		"set auth p":                                "set auth p",
	} {
		args := strings.Fields(line)
		before := slices.Clone(args)
		require.Equal(t, strings.ReplaceAll(want, "*", "(redacted)"), strings.Join(redacted(rows.Resolve(args), args), " "), line)
		require.Equal(t, before, args, "the command line itself stays")
	}
}

func TestLatencyIsNotedFromTheThresholdOn(t *testing.T) {
	s := bare()
	s.NoteLatency("command", 1e12)
	require.Empty(t, s.Latency.Names(), "0 turns the monitor off")
	s.Config.LatencyThreshold = 10
	for _, ms := range []int64{9, 10, 30, 20} {
		s.NoteLatency("command", ms*1e6+999_999)
	}
	s.NoteLatency("aof", 1e9)
	require.Equal(t, []string{"aof", "command"}, s.Latency.Names())
	require.Equal(t, []latencySample{{0, 30}}, s.Latency.Events["command"].Samples)
}

func TestTheStrictestPauseCounts(t *testing.T) {
	s := bare()
	s.Store.SetNow(1000_000)
	for _, step := range []struct {
		purpose PausePurpose
		mode    pauseMode
		end     int64
		want    pauseMode
		until   int64
	}{
		{PauseByClient, PauseWrite, 1500, PauseWrite, 1500},
		{PauseByClient, PauseWrite, 1200, PauseWrite, 1500}, // not shorter
		{PauseForFailover, PauseWrite, 9000, PauseWrite, 9000},
		{PauseByClient, PauseAll, 1300, PauseAll, 1500},
		{PauseForShutdown, PauseWrite, 900, PauseAll, 1500}, // over already
	} {
		s.PauseClients(step.purpose, step.mode, step.end)
		require.Equal(t, step.want, s.Pause.Mode)
		require.Equal(t, step.until, s.Pause.End)
	}
	s.Store.SetNow(1500_000)
	require.True(t, s.Paused(), "the failover still waits")
	require.Equal(t, PauseWrite, s.Pause.Mode)
	s.UnpauseClients(PauseByClient)
	require.True(t, s.Paused())
	s.UnpauseClients(PauseForFailover)
	require.False(t, s.Paused())
}

func TestTheTrackingTableRemembersReaders(t *testing.T) {
	var table readTable
	for _, read := range []struct {
		key string
		id  int64
	}{{"a", 3}, {"a", 1}, {"a", 3}, {"b", 2}, {"c", 1}} {
		table.remember(read.key, read.id)
	}
	require.Equal(t, 3, table.len())
	require.Equal(t, 4, table.items)
	require.Equal(t, []int64{1, 3}, table.take("a"))
	require.Nil(t, table.take("a"))
	require.Equal(t, 2, table.items)
	require.Equal(t, []int64{1}, table.take("c"), "the keys that moved are found")
	require.Equal(t, []int64{2}, table.take("b"))
	require.Zero(t, table.len())
}

// The texts are those of CLIENT TRACKING of redis-server 7.0.15.
func TestOptionsOfTrackingThatConflict(t *testing.T) {
	bcast := func(prefixes ...string) *Tracker { return &Tracker{On: true, Broadcast: true, Prefixes: prefixes} }
	for _, c := range []struct {
		want, now *Tracker
		problem   string
	}{
		{&Tracker{}, nil, ""},
		{&Tracker{OptIn: true}, &Tracker{On: true}, ""},
		{bcast("a", "b"), nil, ""},
		{bcast("c"), bcast("a", "b"), ""},
		{&Tracker{Prefixes: []string{"a"}}, nil, "ERR PREFIX option requires BCAST"},
		{bcast(), &Tracker{On: true}, "ERR You can't switch BCAST mode"},
		{&Tracker{}, bcast(), "ERR You can't switch BCAST mode"},
		{&Tracker{Broadcast: true, OptIn: true}, nil, "ERR OPTIN and OPTOUT are not compatible with BCAST"},
		{&Tracker{OptIn: true, OptOut: true}, nil, "ERR You can't specify both OPTIN mode and OPTOUT mode"},
		{&Tracker{OptIn: true}, &Tracker{On: true, OptOut: true}, "ERR You can't switch OPTIN/OPTOUT mode"},
		{bcast("ab", "a"), nil, "ERR Prefix 'ab' overlaps with another provided prefix 'a'."},
		{bcast("ab"), bcast("a"), "ERR Prefix 'ab' overlaps with an existing prefix 'a'."},
		{bcast("a"), bcast("a"), "ERR Prefix 'a' overlaps with an existing prefix 'a'."},
		{bcast(""), bcast("a"), "ERR Prefix '' overlaps with an existing prefix 'a'."},
	} {
		problem := c.want.Conflict(c.now)
		require.Equal(t, c.problem == "", problem == "", problem)
		require.True(t, strings.HasPrefix(problem, c.problem), problem)
	}
}

func TestACommandThatNamesAKeyTwiceWaitsOnce(t *testing.T) {
	s := bare()
	k := WatchKey{s.Store.DB(0), "k"}
	x, y := &BlockedClient{tickets: make([]ticket, 0, 2)}, &BlockedClient{tickets: make([]ticket, 0, 1)}
	s.enqueue(x, k)
	s.enqueue(x, k)
	s.enqueue(y, k)
	require.Len(t, x.tickets, 1)
	require.Same(t, &y.tickets[0], s.Queues[k].Head.next)
	s.dequeue(&x.tickets[0])
	require.Same(t, y, s.Queues[k].Head.Client)
	s.dequeue(&y.tickets[0])
	require.Empty(t, s.Queues)
}
