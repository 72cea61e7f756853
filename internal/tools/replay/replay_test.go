package replay_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/tools/recording"
	"github.com/redmoon-lua/redmoon/internal/tools/replay"
	"github.com/redmoon-lua/redmoon/resp"
)

// tape writes a recording by hand: each step takes a millisecond.
type tape struct {
	t    testing.TB
	file bytes.Buffer
	w    *recording.Writer
	now  time.Duration
	n    map[int64]int64 // requests by connection
}

// started is the time at which the recordings of the tests begin.
var started = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func newTape(t testing.TB) *tape {
	p := &tape{t: t, n: map[int64]int64{}}
	var err error
	p.w, err = recording.NewWriter(&p.file, recording.Header{Started: started, Server: "7.0.15"},
		recording.WriterOptions{Elapsed: func() time.Duration { p.now += time.Millisecond; return p.now }})
	require.NoError(t, err)
	return p
}

// open opens connections 1 to n.
func (p *tape) open(n int64) *tape {
	for c := int64(1); c <= n; c++ {
		p.w.Open(c, fmt.Sprintf("127.0.0.1:%d", 1000+c))
	}
	return p
}

// ask writes a request.
func (p *tape) ask(conn int64, line string) *tape {
	words, ok := resp.SplitWords(line)
	require.True(p.t, ok, line)
	var args []recording.Arg
	for _, w := range words {
		args = append(args, recording.Arg{Text: w})
	}
	p.n[conn]++
	p.w.Request(conn, p.n[conn], args, false)
	return p
}

// answer writes the reply to the last request of a connection.
func (p *tape) answer(conn int64, raw string) *tape {
	p.w.Reply(conn, p.n[conn], []byte(raw+"\r\n"), false, nil)
	return p
}

// do writes a request with its reply.
func (p *tape) do(line, raw string) *tape { return p.ask(1, line).answer(1, raw) }

// run replays the recording.
func (p *tape) run(change ...func(*replay.Options)) *replay.Report {
	require.NoError(p.t, p.w.Finish(recording.Interrupted))
	return run(p.t, p.file.Bytes(), change...)
}

func run(t testing.TB, file []byte, change ...func(*replay.Options)) *replay.Report {
	src, err := recording.NewReader(bytes.NewReader(file))
	require.NoError(t, err)
	var o replay.Options
	for _, f := range change {
		f(&o)
	}
	rep, err := replay.Run(context.Background(), src, o)
	require.NoError(t, err)
	return rep
}

// got returns the commands that differ, with what was recorded and what the replay has.
func got(rep *replay.Report) (list []string) {
	for _, d := range rep.Differences {
		list = append(list, strings.Join(d.Command, " ")+": "+strings.TrimSpace(d.Recorded)+" | "+strings.TrimSpace(d.Got))
	}
	return list
}

func TestDifferencesAreReported(t *testing.T) {
	rep := newTape(t).open(1).
		do("SET k 1", "+OK").do("INCR k", ":3").do("GET k", "$1\r\n2").do("LPUSH k x", ":1").
		run()
	require.Equal(t, []string{
		"INCR k: :3 | :2",
		"LPUSH k x: :1 | -WRONGTYPE Operation against a key holding the wrong kind of value",
	}, got(rep))
	require.Equal(t, 2, rep.Same)
	require.Equal(t, 4, rep.Commands)
	require.EqualValues(t, 5, rep.Differences[0].Line)
	require.False(t, rep.Unfinished)
}

// The clock shows the time of the recording: TIME, times to live and stream IDs agree.
func TestTheClockIsThatOfTheRecording(t *testing.T) {
	at := started.Add(2 * time.Millisecond)
	rep := newTape(t).open(1).
		do("TIME", fmt.Sprintf("*2\r\n$10\r\n%d\r\n$4\r\n2000", at.Unix())).
		do("SET k v PX 8", "+OK").
		do("PEXPIRETIME k", fmt.Sprintf(":%d", at.UnixMilli()+2+8)).
		do("EXISTS k", ":1").do("PING", "+PONG").do("EXISTS k", ":0").
		do("XADD s * f v", fmt.Sprintf("$15\r\n%d-0", at.UnixMilli()+12)).
		run()
	require.Empty(t, got(rep))
	require.Equal(t, 7, rep.Same, "%v", rep.Allowed)
}

// A key that has expired a little earlier than the replay expects does not let the clock run away:
// it goes no further than it must, however slow another reply was.
func TestTheClockDoesNotRunAway(t *testing.T) {
	p := newTape(t).open(1).ask(1, "PING")
	p.now += 10 * time.Millisecond
	p.answer(1, "+PONG")
	for range 20 {
		p.do("SET k v PX 5", "+OK").do("EXISTS k", ":0").do("SET k v NX PX 100000", "+OK")
		ran := started.Add(p.now - time.Millisecond)
		p.do("PEXPIRETIME k", fmt.Sprintf(":%d", ran.UnixMilli()+100000)).do("DEL k", ":1")
	}
	rep := p.run()
	require.Empty(t, got(rep))
}

// What depends on chance is compared by its kind; what was popped is popped in the replay too.
func TestChance(t *testing.T) {
	rep := newTape(t).open(1).
		do("SADD s a b c d", ":4").do("SPOP s", "$1\r\nc").do("SISMEMBER s c", ":0").
		do("SRANDMEMBER s", "$1\r\nb").do("SRANDMEMBER s 2", "*2\r\n$1\r\na\r\n$1\r\nd").
		do("SPOP s 3", "*3\r\n$1\r\na\r\n$1\r\nd\r\n$1\r\nb").do("SCARD s", ":0").
		do("SADD s e", ":1").do("SRANDMEMBER s", ":7").
		run()
	require.Equal(t, []string{"SRANDMEMBER s: :7 | $1\r\ne"}, got(rep))
}

func TestRepliesWithoutOrder(t *testing.T) {
	rep := newTape(t).open(1).
		do("SADD s b a", ":2").do("SMEMBERS s", "*2\r\n$1\r\na\r\n$1\r\nb").do("SMEMBERS s", "*2\r\n$1\r\nb\r\n$1\r\na").
		do("SMEMBERS s", "*2\r\n$1\r\nb\r\n$1\r\nc").
		do("HSET h a 1 b 2", ":2").do("HGETALL h", "*4\r\n$1\r\nb\r\n$1\r\n2\r\n$1\r\na\r\n$1\r\n1").
		do("HGETALL h", "*4\r\n$1\r\nb\r\n$1\r\n1\r\n$1\r\na\r\n$1\r\n2").
		run()
	require.Len(t, rep.Differences, 2, got(rep))
	require.Equal(t, "SMEMBERS s", strings.Join(rep.Differences[0].Command, " "))
	require.Equal(t, "HGETALL h", strings.Join(rep.Differences[1].Command, " "))
	require.GreaterOrEqual(t, rep.Allowed[replay.ByOrder], 2)
}

// Replies of overlapping commands decide in which order they have run.
func TestTheOrderOfOverlappingCommands(t *testing.T) {
	rep := newTape(t).open(2).
		ask(1, "INCR n").ask(2, "INCR n").answer(1, ":2").answer(2, ":1").
		ask(1, "GET n").answer(1, "$1\r\n2").
		run()
	require.Empty(t, got(rep))
	require.Equal(t, 1, rep.Overtaken)

	rep = newTape(t).open(2).
		ask(1, "INCR n").ask(2, "INCR n").answer(1, ":2").answer(2, ":2").
		run()
	require.Len(t, rep.Differences, 1)
	require.Equal(t, []string{"INCR n"}, rep.Differences[0].Overlaps)
}

// A command that waits is served by the command that served it.
func TestWaits(t *testing.T) {
	rep := newTape(t).open(2).
		ask(1, "BLPOP l 0").ask(2, "RPUSH l a").answer(2, ":1").answer(1, "*2\r\n$1\r\nl\r\n$1\r\na").
		ask(2, "LLEN l").answer(2, ":0").
		ask(1, "BLPOP l 0.001").answer(1, "*-1").
		run()
	require.Empty(t, got(rep))
	require.Equal(t, 4, rep.Same)
}

func TestTransactions(t *testing.T) {
	rep := newTape(t).open(2).
		do("WATCH k", "+OK").
		ask(2, "SET k 1").answer(2, "+OK").
		do("MULTI", "+OK").do("GET k", "+QUEUED").do("EXEC", "*-1").
		do("MULTI", "+OK").do("INCR k", "+QUEUED").do("GET k", "+QUEUED").do("EXEC", "*2\r\n:2\r\n$1\r\n3").
		do("MULTI", "+OK").do("INCR k", "+QUEUED").do("DISCARD", "+OK").do("GET k", "$1\r\n2").
		run()
	require.Equal(t, []string{"GET k: $1\r\n3 | $1\r\n2"}, got(rep))
}

func TestRESP3(t *testing.T) {
	rep := newTape(t).open(1).
		do("HELLO 3", "%1\r\n$5\r\nproto\r\n:3").do("HSET h a 1", ":1").
		do("HGETALL h", "%1\r\n$1\r\na\r\n$1\r\n1").do("ZADD z 1.5 m", ":1").do("ZSCORE z m", ",1.5").do("GET none", "_").
		run()
	require.Empty(t, got(rep))
}

func TestPushes(t *testing.T) {
	p := newTape(t).open(2).do("SUBSCRIBE c", "*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1")
	message := func(text string) { p.w.Push(1, []byte("*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\n"+text+"\r\n"), false) }
	p.ask(2, "PUBLISH c a")
	message("a")
	p.answer(2, ":1").ask(2, "PUBLISH c b")
	message("x")
	rep := p.answer(2, ":1").run()
	require.Equal(t, 1, rep.Pushes)
	require.Len(t, rep.Differences, 2, got(rep)) // x is missing, and b came
}

func TestOnlyAPartIsCompared(t *testing.T) {
	make := func() *tape {
		return newTape(t).open(2).do("INCR n", ":9").ask(2, "INCR n").answer(2, ":8").do("INCR n", ":7")
	}
	require.Len(t, make().run().Differences, 3)
	rep := make().run(func(o *replay.Options) { o.Connections = []int64{2} })
	require.Equal(t, []string{"INCR n: :8 | :2"}, got(rep))
	rep = make().run(func(o *replay.Options) { o.From = 7 * time.Millisecond })
	require.Equal(t, []string{"INCR n: :7 | :3"}, got(rep))
	rep = make().run(func(o *replay.Options) { o.To = 4 * time.Millisecond })
	require.Equal(t, []string{"INCR n: :9 | :1"}, got(rep))
	rep = make().run(func(o *replay.Options) { o.MaxDifferences = 1 })
	require.Len(t, rep.Differences, 1)
	require.Equal(t, 2, rep.More)
}

// A recording from another hand cannot reach servers or files, neither by commands nor by scripts.
func TestHostileCommands(t *testing.T) {
	const migrate = "MIGRATE 127.0.0.1 1 k 0 100"
	rep := newTape(t).open(1).
		do("SET k v", "+OK").do(migrate, "+NOKEY").do("SAVE", "+OK").do("SHUTDOWN", "+OK").do("REPLICAOF 127.0.0.1 1", "+OK").
		do("ACL SAVE", "+OK").do("CONFIG REWRITE", "+OK").do("MODULE LOAD /x.so", "+OK").do("DEBUG SEGFAULT", "+OK").
		do(`EVAL "return redis.pcall('MIGRATE', '127.0.0.1', '1', 'k', '0', '100')" 0`, "+NOKEY").
		run()
	require.Equal(t, 8, rep.NotRun[replay.Withheld])
	require.Len(t, rep.Differences, 1)
	require.Contains(t, rep.Differences[0].Got, "a replay does not run MIGRATE")
}

func TestAFileThatEndsEarly(t *testing.T) {
	p := newTape(t).open(1).do("SET k v", "+OK").do("GET k", "$1\r\nv")
	require.NoError(t, p.w.Flush())
	whole := p.file.Bytes()
	rep := run(t, whole)
	require.True(t, rep.Unfinished)
	require.Equal(t, 2, rep.Same)
	rep = run(t, whole[:len(whole)-3])
	require.True(t, rep.Unfinished)
	require.Equal(t, 1, rep.Same)
	require.Equal(t, map[replay.Reason]int{replay.NoReply: 1}, rep.NotRun)
	rep = run(t, append(whole[:len(whole):len(whole)], "{}\n{}\n"...))
	require.Contains(t, rep.Damage, "line 7")
	require.Equal(t, 2, rep.Same)
}

func TestReplayEndsWithItsContext(t *testing.T) {
	p := newTape(t).open(1).do("SET k v", "+OK")
	require.NoError(t, p.w.Finish(""))
	src, err := recording.NewReader(&p.file)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = replay.Run(ctx, src, replay.Options{})
	require.ErrorIs(t, err, context.Canceled)
}

func TestWrongOptions(t *testing.T) {
	p := newTape(t)
	require.NoError(t, p.w.Finish(""))
	for want, o := range map[string]replay.Options{
		`"9" is not one of`: {Server: "9"},
		"no such file":      {Data: "nosuch.rdb"},
		"loading a script":  {Scripts: []string{"return return"}},
	} {
		src, err := recording.NewReader(bytes.NewReader(p.file.Bytes()))
		require.NoError(t, err)
		_, err = replay.Run(context.Background(), src, o)
		require.ErrorContains(t, err, want)
	}
}

// A number that no connection has would compare nothing.
func TestConnectionsThatTheRecordingLacks(t *testing.T) {
	p := newTape(t).open(2).do("INCR n", ":1")
	require.NoError(t, p.w.Finish(recording.Interrupted))
	src, err := recording.NewReader(bytes.NewReader(p.file.Bytes()))
	require.NoError(t, err)
	_, err = replay.Run(t.Context(), src, replay.Options{Connections: []int64{2, 7}})
	require.EqualError(t, err, "connection 7 is not in what was replayed of the recording")
}
