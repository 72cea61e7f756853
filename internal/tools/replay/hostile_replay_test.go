package replay_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/tools/recording"
	"github.com/redmoon-lua/redmoon/internal/tools/replay"
)

// ends replays the recording. It must end on its own.
func (p *tape) ends() *replay.Report {
	require.NoError(p.t, p.w.Finish(recording.Interrupted))
	src, err := recording.NewReader(bytes.NewReader(p.file.Bytes()))
	require.NoError(p.t, err)
	rep, err := replay.Run(patience.Context(p.t), src, replay.Options{})
	require.NoError(p.t, err)
	return rep
}

// A command waits while others overlap, and none of them ends its wait.
func TestWaitsThatNobodyEnds(t *testing.T) {
	rep := newTape(t).open(3).do("SET x 0", "+OK").
		ask(1, "WAIT 1 100").ask(2, "INCR x").ask(3, "INCR x").
		answer(1, ":0").answer(2, ":1").answer(3, ":2").
		ends()
	require.Empty(t, got(rep))
	require.Equal(t, 4, rep.Commands)
}

// A pause does not make the commands behind it wait, however long it is.
func TestPauses(t *testing.T) {
	rep := newTape(t).open(2).do("CLIENT PAUSE 100000000", "+OK").
		ask(2, "SET x 1").answer(2, "+OK").ask(2, "GET x").answer(2, "$1\r\n1").do("GET x", "$1\r\n1").
		ends()
	require.Empty(t, got(rep))
}

// Commands whose recorded replies no server gives do not end the program.
func TestImpossibleReplies(t *testing.T) {
	newTape(t).open(2).do("MIGRATE", "+OK").do("MIGRATE a b", "+OK").do("SPOP", "*1\r\n$1\r\na").
		do("WATCH", "+OK").do("EVAL", ":1").do("SELECT", "+OK").do("HELLO 3", "*-1").do("SUBSCRIBE", "*3").
		do("XREAD BLOCK 0 STREAMS s $", ":1").do("GET k", "*99999999").do("GET k", "%4611686018427387904").
		ends()
}

// The commands behind a MULTI that was refused have run one by one.
func TestRefusedTransactions(t *testing.T) {
	rep := newTape(t).open(1).
		do("MULTI", "-NOPERM no").do("SET a 1", "+OK").do("GET a", "$1\r\n1").
		do("EXEC", "-ERR EXEC without MULTI").do("GET a", "$1\r\n1").
		ask(1, "MULTI x").ask(1, "SET a 2").ask(1, "MULTI").ask(1, "INCR a").ask(1, "EXEC").
		ends()
	require.Empty(t, got(rep))
	require.Equal(t, 4, rep.Same)
	require.Equal(t, map[replay.Reason]int{replay.ByRefusal: 1, replay.NoReply: 5}, rep.NotRun)

	p := newTape(t).open(1) // the client waits for no reply
	for i, words := range []string{"MULTI x", "SET a 2", "MULTI", "INCR a", "EXEC", "GET a"} {
		p.ask(1, words)
		require.EqualValues(t, i+1, p.n[1])
	}
	for i, raw := range []string{"-ERR wrong number of arguments for 'multi' command", "+OK", "+OK", "+QUEUED", "*1\r\n:3", "$1\r\n3"} {
		p.w.Reply(1, int64(i+1), []byte(raw+"\r\n"), false, nil)
	}
	rep = p.ends()
	require.Empty(t, got(rep))
	require.Equal(t, 5, rep.Same)
}

// That a key has no time to live, or is missing, does not depend on the clock.
func TestMissingKeysAreNoMatterOfTheClock(t *testing.T) {
	rep := newTape(t).open(1).do("TTL a", ":-1").do("PTTL a", ":-1").do("SET a 1 EX 100", "+OK").do("TTL a", ":100").ends()
	require.Equal(t, []string{"TTL a: :-1 | :-2", "PTTL a: :-1 | :-2"}, got(rep))
}

// The user default is not changed: the users of the recording are not known in a replay.
func TestTheDefaultUserMayDoEverything(t *testing.T) {
	p := newTape(t).open(1).do("ACL SETUSER default off resetkeys -@all", "+OK").do("SET a 1", "+OK")
	p.w.Open(2, "127.0.0.1:99")
	rep := p.ask(2, "GET a").answer(2, "$1\r\n1").ends()
	require.Empty(t, got(rep))
}

// CLIENT names connections by their numbers, but not everything is such a number.
func TestNumbersOfConnections(t *testing.T) {
	p := newTape(t).open(2).ask(2, "CLIENT ID").answer(2, ":77").
		do("HELLO 3", "%1\r\n$5\r\nproto\r\n:3").do("CLIENT TRACKING on BCAST PREFIX 77", "+OK").
		ask(2, "SET 77x 1")
	p.w.Push(1, []byte(">2\r\n$10\r\ninvalidate\r\n*1\r\n$3\r\n77x\r\n"), false)
	rep := p.answer(2, "+OK").do("CLIENT KILL ID 77", ":1").ends()
	require.Empty(t, rep.Differences)
	require.Equal(t, 1, rep.Pushes)
}

// Only parameters that a recorder writes are taken from the header.
func TestParametersOfTheHeader(t *testing.T) {
	p := newTape(t)
	p.file.Reset()
	var err error
	p.w, err = recording.NewWriter(&p.file, recording.Header{
		Started: started, Server: "7.0.15",
		Config: map[string]string{"requirepass": "x", "maxmemory": "1", "maxmemory-policy": "noeviction", "set-max-intset-entries": "1"},
	}, recording.WriterOptions{Elapsed: func() time.Duration { p.now += time.Millisecond; return p.now }})
	require.NoError(t, err)
	rep := p.open(1).do("SET a 1", "+OK").do("SADD s 1 2", ":2").do("OBJECT ENCODING s", "$9\r\nhashtable").ends()
	require.Empty(t, got(rep))
	require.Equal(t, 3, rep.Same)
}

// A transaction that subscribes is tried in several orders. Nobody is subscribed but its
// connection.
func TestTransactionsThatSubscribe(t *testing.T) {
	p := newTape(t).open(2).do("MULTI", "+OK").do("SUBSCRIBE c", "+QUEUED").do("INCR n", "+QUEUED").
		ask(1, "EXEC").ask(2, "INCR n").answer(2, ":1").
		answer(1, "*2\r\n*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n:2").
		ask(2, "PUBLISH c x")
	p.w.Push(1, []byte("*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nx\r\n"), false)
	rep := p.answer(2, ":1").ends()
	require.Empty(t, got(rep))
	require.Empty(t, rep.Allowed)
}

// The commands of each connection run in their order, also if one of them has overtaken so many
// others that not all of them are tried together.
func TestOvertakingManyConnections(t *testing.T) {
	const members, last = 96, 97
	p := newTape(t).open(last).ask(1, "INCR n")
	for c := int64(2); c <= members; c++ {
		p.ask(c, fmt.Sprintf("GET own%d", c))
	}
	p.ask(last, "GET own").ask(last, "INCR n")
	p.answer(1, ":2")
	for c := int64(2); c <= members; c++ {
		p.answer(c, "$-1")
	}
	p.w.Reply(last, 1, []byte("$-1\r\n"), false, nil)
	p.w.Reply(last, 2, []byte(":1\r\n"), false, nil)
	rep := p.ask(1, "GET n").answer(1, "$1\r\n2").ends()
	require.Empty(t, got(rep))
	require.Equal(t, members+3, rep.Same)
}
