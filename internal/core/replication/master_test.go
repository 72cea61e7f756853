package replication_test

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/commands"
	"github.com/redmoon-lua/redmoon/internal/core/replication"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// master is a server without an engine, whose replicas are sessions.
type master struct {
	server.Control
	t    *testing.T
	st   *replication.State
	sess *server.Session
	now  int64    // ms since the epoch
	cron []func() // what waits for the time to pass
}

func newMaster(t *testing.T, config ...string) *master {
	m := &master{t: t, now: 1_700_000_000_000}
	store := datastore.New(datastore.Options{})
	m.Control = server.NewServer(store, commands.Of(servers.Redis70), slog.New(slog.DiscardHandler))
	m.st = replication.New(m.Control, replication.Env{
		After: func(_ time.Duration, f func()) func() {
			m.cron = append(m.cron, f)
			return func() {}
		},
		Soon: func(f func()) { f() },
	})
	m.sess = m.NewSession("", "")
	for i := 0; i < len(config); i += 2 {
		require.Equal(t, "OK", m.do("CONFIG SET "+config[i]+" "+config[i+1]))
	}
	return m
}

func (m *master) in(sess *server.Session, line string) reply.Value {
	m.Store.SetNow(m.now * 1000)
	v := m.Execute(sess, cmdtable.DoorClient, strings.Fields(line))
	m.FlushEffects()
	return v
}

func (m *master) do(line string) string { return m.in(m.sess, line).Text() }

func (m *master) field(name string) string {
	_, rest, found := strings.Cut(m.do("INFO replication"), "\r\n"+name+":")
	require.True(m.t, found, name)
	value, _, _ := strings.Cut(rest, "\r")
	return value
}

// pass lets seconds pass, with a run of cron in each.
func (m *master) pass(seconds int) {
	for range seconds {
		m.now += 1000
		m.Store.SetNow(m.now * 1000)
		run := m.cron
		m.cron = nil
		for _, f := range run {
			f()
		}
	}
}

// link is the connection of a replica.
type link struct {
	sess  *server.Session
	send  func(w io.Writer, over <-chan struct{})
	ended bool
}

func (m *master) connect() *link {
	l := &link{sess: m.NewSession("1.2.3.4:5678", "")}
	l.sess.TakeOver = func(send func(w io.Writer, over <-chan struct{})) { l.send = send }
	l.sess.Kill = func(server.Ending) { l.ended = true }
	l.sess.Receive = func(reply.Value, int, int64) int64 { return 0 }
	return l
}

// upTo ends a sender when it has written a text.
type upTo struct {
	strings.Builder
	want string
	over chan struct{}
}

func (w *upTo) Write(b []byte) (int, error) {
	w.Builder.Write(b)
	if w.Len() >= len(w.want) {
		close(w.over)
		w.want = strings.Repeat(" ", 1<<20)
	}
	return len(b), nil
}

// gets checks what the replica is sent first.
func (l *link) gets(t *testing.T, want string) {
	t.Helper()
	w := &upTo{want: want, over: make(chan struct{})}
	l.send(w, w.over)
	require.Equal(t, want, w.String())
}

// follow makes a connection a replica that has the whole stream.
func (m *master) follow() *link {
	l := m.connect()
	m.in(l.sess, "REPLCONF listening-port 7000 capa eof capa psync2")
	m.open()
	m.in(l.sess, "PSYNC "+m.st.ReplID()+" "+fmt.Sprint(m.st.Offset()+1))
	require.NotNil(m.t, l.send, "it continues")
	return l
}

// open makes the backlog, by a replica that comes and goes.
func (m *master) open() {
	if m.field("repl_backlog_active") == "0" {
		first := m.connect()
		m.in(first.sess, "PSYNC ? -1")
		m.CloseSession(first.sess)
	}
}

// The replies are those of redis-server 7.0.15.
func TestWhatAReplicaSaysAboutItself(t *testing.T) {
	long := strings.Repeat("a", 256)
	for line, want := range map[string]string{
		"REPLCONF":                                 "OK",
		"REPLCONF listening-port":                  "ERR syntax error",
		"REPLCONF listening-port 1":                "OK",
		"REPLCONF Listening-Port x":                "ERR value is not an integer or out of range",
		"REPLCONF ip-address host":                 "OK",
		"REPLCONF ip-address " + long:              "ERR REPLCONF ip-address provided by replica instance is too long: 256 bytes",
		"REPLCONF ip-address " + long[1:]:          "OK",
		"REPLCONF capa eof capa psync2 capa what":  "OK",
		"REPLCONF rdb-only 1":                      "OK",
		"REPLCONF rdb-only 2":                      "ERR value is out of range, value must between 0 and 1",
		"REPLCONF rdb-only x":                      "ERR value is not an integer or out of range",
		"REPLCONF rdb-filter-only functions":       "OK",
		"REPLCONF rdb-filter-only what":            "ERR Unsupported rdb-filter-only option: what",
		`REPLCONF rdb-filter-only "`:               "ERR Missing rdb-filter-only values",
		"REPLCONF what 1":                          "ERR Unrecognized REPLCONF option: what",
		"REPLCONF capa eof what 1":                 "ERR Unrecognized REPLCONF option: what",
		"PSYNC ? x":                                "ERR value is not an integer or out of range",
		"PSYNC ?":                                  "ERR wrong number of arguments for 'psync' command",
		"PSYNC ? -1 FAILOVER":                      "ERR PSYNC FAILOVER can't be sent to a master.",
		"FAILOVER":                                 "ERR FAILOVER requires connected replicas.",
		"FAILOVER ABORT":                           "ERR No failover in progress.",
		"FAILOVER TO h 1 TIMEOUT 1 FORCE":          "ERR FAILOVER requires connected replicas.",
		"FAILOVER TIMEOUT 0":                       "ERR FAILOVER timeout must be greater than 0",
		"FAILOVER TO h":                            "ERR syntax error",
		"REPLICAOF h 65536":                        "ERR Invalid master port",
		"REPLICAOF NO ONE":                         "OK",
		"WAIT x 0":                                 "ERR value is not an integer or out of range",
		"WAIT 0 x":                                 "ERR timeout is not an integer or out of range",
		"WAIT 0 -1":                                "ERR timeout is negative",
		"REPLCONF rdb-filter-only functions,what":  "ERR Unsupported rdb-filter-only option: functions,what",
		"REPLCONF listening-port 1 ip-address":     "ERR syntax error",
		"REPLCONF listening-port 1 version 2":      "ERR Unrecognized REPLCONF option: version",
		"REPLCONF listening-port 9999999999999999": "OK",
	} {
		m := newMaster(t)
		require.Equal(t, want, m.in(m.connect().sess, line).Text(), line)
	}
	m := newMaster(t)
	for _, line := range []string{"REPLCONF ACK 1", "REPLCONF GETACK *", "REPLCONF ack x"} {
		require.Equal(t, reply.KindNone, m.in(m.connect().sess, line).Kind(), line)
	}
	for i, line := range []string{"PSYNC ? -1", "SYNC"} {
		l := m.connect()
		m.in(l.sess, "REPLCONF capa eof")
		require.Equal(t, reply.KindNone, m.in(l.sess, line).Kind(), line)
		require.Equal(t, fmt.Sprint(i+1), m.field("connected_slaves"), line)
	}
	l := m.connect()
	m.in(l.sess, "REPLCONF rdb-filter-only functions")
	require.Equal(t, "ERR Filtered replica requires EOF capability", m.in(l.sess, "PSYNC ? -1").Text())
}

func TestWritesAreTheStream(t *testing.T) {
	m := newMaster(t)
	m.do("SET before 1")
	require.Equal(t, "0", m.field("master_repl_offset"), "nothing is collected before the first replica")
	l := m.follow()
	require.Equal(t, "ip=1.2.3.4,port=7000,state=online,offset=0,lag=0", m.field("slave0"))
	m.do("SET k v")
	m.do("GET k")
	stream := "*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n"
	require.EqualValues(t, len(stream), m.st.Offset())
	l.gets(t, "+CONTINUE "+m.st.ReplID()+"\r\n"+stream)
	require.Equal(t, fmt.Sprint(len(stream)), m.field("repl_backlog_histlen"))
	require.Equal(t, "1", m.field("repl_backlog_first_byte_offset"))
}

func TestAReplicaContinuesOnlyAtAKnownPlace(t *testing.T) {
	for place, want := range map[string]bool{
		"ID 1": true, "ID 30": true, "ID END": true, "ID 0": false, "ID -1": false, "ID PAST": false, "? -1": false,
		"0000000000000000000000000000000000000000 1": false,
	} {
		m := newMaster(t)
		m.open()
		m.do("SET k v")
		end := m.st.Offset() + 1
		place = strings.NewReplacer("ID", m.st.ReplID(), "END", fmt.Sprint(end), "PAST", fmt.Sprint(end+1)).Replace(place)
		l := m.connect()
		m.in(l.sess, "REPLCONF capa eof")
		m.in(l.sess, "PSYNC "+place)
		state := "wait_bgsave"
		if want {
			state = "online"
		}
		require.Contains(t, m.field("slave0"), "state="+state, place)
		counts := m.st.Counts()
		require.EqualValues(t, map[bool]int64{true: 1, false: 0}[want], counts.PartialSyncs, place)
		require.EqualValues(t, map[bool]int64{true: 1, false: 2}[want], counts.FullSyncs, place)
	}
}

func TestReplicasAcknowledgeWhatTheyHave(t *testing.T) {
	m := newMaster(t)
	a, b := m.follow(), m.follow()
	m.do("SET k v")
	require.EqualValues(t, 0, m.in(m.sess, "WAIT 0 0").MustInt())
	end := m.st.Offset()
	m.in(a.sess, fmt.Sprintf("REPLCONF ACK %d", end))
	require.EqualValues(t, 1, m.in(m.sess, "WAIT 1 0").MustInt())
	m.in(b.sess, fmt.Sprintf("REPLCONF ACK %d", end-1))
	require.EqualValues(t, 1, m.in(m.sess, "WAIT 1 0").MustInt(), "the other lacks one byte")
	m.in(b.sess, fmt.Sprintf("REPLCONF ACK %d", end))
	require.EqualValues(t, 2, m.in(m.sess, "WAIT 1 0").MustInt())
	m.in(b.sess, "REPLCONF ACK 1")
	require.EqualValues(t, 2, m.in(m.sess, "WAIT 2 0").MustInt(), "an acknowledgment is not taken back")
	role := m.in(m.sess, "ROLE").Slice()
	require.Equal(t, "master", role[0].Text())
	require.EqualValues(t, end, role[1].MustInt())
	require.Equal(t, fmt.Sprint(end), role[2].Slice()[1].Slice()[2].Text())
}

func TestWritesNeedReplicasInTime(t *testing.T) {
	const refused = "NOREPLICAS Not enough good replicas to write."
	m := newMaster(t, "min-replicas-to-write", "1", "min-replicas-max-lag", "3")
	require.Equal(t, refused, m.do("SET k v"))
	l := m.follow()
	require.Equal(t, "OK", m.do("SET k v"))
	require.Equal(t, "1", m.field("min_slaves_good_slaves"))
	m.pass(3)
	require.Equal(t, "OK", m.do("SET k v"))
	m.pass(1)
	require.Equal(t, refused, m.do("SET k v"))
	require.Equal(t, "v", m.do("GET k"))
	m.in(l.sess, "REPLCONF ACK 0")
	require.Equal(t, "OK", m.do("SET k v"))
	m.CloseSession(l.sess)
	require.Equal(t, refused, m.do("SET k v"))
	m.do("CONFIG SET min-replicas-to-write 0")
	require.Equal(t, "OK", m.do("SET k v"))
}

func TestASilentReplicaIsDropped(t *testing.T) {
	m := newMaster(t, "repl-timeout", "10")
	silent, heard, copying := m.follow(), m.follow(), m.connect()
	m.pass(5)
	m.in(heard.sess, "REPLCONF ACK 0")
	m.pass(5)
	require.False(t, silent.ended)
	m.pass(1)
	require.True(t, silent.ended)
	require.False(t, heard.ended || copying.ended)
	require.Equal(t, "1", m.field("connected_slaves"))
}

func TestReplicasHearFromAnIdleMaster(t *testing.T) {
	const ping = "*1\r\n$4\r\nping\r\n"
	m := newMaster(t, "repl-ping-replica-period", "4")
	l := m.follow()
	m.pass(8)
	l.gets(t, "+CONTINUE "+m.st.ReplID()+"\r\n"+ping+ping)
	require.EqualValues(t, 2*len(ping), m.st.Offset())
}

func TestAReplicaThatReadsTooSlowlyIsDropped(t *testing.T) {
	for _, c := range []struct {
		limit string
		ended bool
	}{{"0 0 0", false}, {"200000 0 0", true}, {"400000 0 0", false}, {"0 200000 3", false}} {
		m := newMaster(t, "repl-backlog-size", "16384")
		v := m.Execute(m.sess, cmdtable.DoorClient, []string{"CONFIG", "SET", "client-output-buffer-limit", "replica " + c.limit})
		require.Equal(t, "OK", v.Text())
		l := m.follow()
		m.do("SET k " + strings.Repeat("v", 300_000))
		require.Equal(t, c.ended, l.ended, c.limit)
		total, backlog := m.st.Buffers()
		require.GreaterOrEqual(t, total, backlog)
		if !c.ended {
			require.Greater(t, backlog, int64(300_000), "a slow replica still needs it")
		}
		if c.limit == "0 200000 3" { // over the soft limit for more than 3 s
			m.pass(3)
			require.False(t, l.ended)
			m.pass(1)
			require.True(t, l.ended)
		}
	}
}

func TestABacklogWithoutReplicasIsFreed(t *testing.T) {
	m := newMaster(t, "repl-backlog-ttl", "5")
	l := m.follow()
	id := m.st.ReplID()
	m.pass(9)
	require.Equal(t, "1", m.field("repl_backlog_active"))
	m.CloseSession(l.sess)
	m.pass(5)
	require.Equal(t, "1", m.field("repl_backlog_active"))
	m.pass(1)
	require.Equal(t, "0", m.field("repl_backlog_active"))
	require.NotEqual(t, id, m.st.ReplID(), "nobody can continue")
	m.pass(1)
	require.Empty(t, m.cron)
}
