package resp_test

import (
	"fmt"
	"net"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/resp"
)

// orderTries is the number of runs of each case of TestOrderAcrossConnections.
const orderTries = 100

// orderCase is a sequence of requests of several clients. Each request in before gets its reply
// before the next one is sent, unless it blocks. Those in then are sent without waiting for
// replies, so that only their order of arrival decides. No client has two requests in then, because
// redis-server reads a client's second request together with the first.
type orderCase struct {
	name         string
	before, then []orderStep
	after        []orderStep // sent like those in before
	// for each client the total number of replies; c: the server closes the connection
	replies string
}

// orderStep is a request of a client, as a line of words. blocks: its reply comes later. No words:
// the client disconnects.
type orderStep struct {
	client int
	line   string
	blocks bool
}

var orderCases = []orderCase{
	{name: "SET and GET", then: []orderStep{{client: 0, line: "SET k v"}, {client: 1, line: "GET k"}}, replies: "11"},
	{name: "SUNSUBSCRIBE and SPUBLISH", before: []orderStep{{client: 0, line: "SSUBSCRIBE c"}},
		then: []orderStep{{client: 0, line: "SUNSUBSCRIBE c"}, {client: 1, line: "SPUBLISH c m"}}, replies: "21"},
	{name: "SUBSCRIBE and PUBLISH", then: []orderStep{{client: 0, line: "SUBSCRIBE c"}, {client: 1, line: "PUBLISH c m"}}, replies: "21"},
	{name: "BRPOPLPUSH served, and EXEC", before: []orderStep{{client: 0, line: "BRPOPLPUSH src dst 0", blocks: true},
		{client: 1, line: "WATCH dst"}, {client: 1, line: "MULTI"}, {client: 1, line: "SET x 1"}},
		then: []orderStep{{client: 2, line: "RPUSH src v"}, {client: 1, line: "EXEC"}}, replies: "141"},
	{name: "EXEC, and BRPOPLPUSH served", before: []orderStep{{client: 0, line: "BRPOPLPUSH src dst 0", blocks: true},
		{client: 1, line: "WATCH dst"}, {client: 1, line: "MULTI"}, {client: 1, line: "LLEN dst"}},
		then: []orderStep{{client: 1, line: "EXEC"}, {client: 2, line: "RPUSH src v"}}, replies: "141"},
	{name: "FLUSHALL and a blocked XREADGROUP", before: []orderStep{{client: 0, line: "XGROUP CREATE s g $ MKSTREAM"},
		{client: 0, line: "XREADGROUP GROUP g c BLOCK 0 STREAMS s >", blocks: true}},
		then: []orderStep{{client: 1, line: "FLUSHALL"}, {client: 2, line: "XADD s 1-1 f v"}}, replies: "211"},
	{name: "XADD, FLUSHALL and a blocked XREADGROUP", before: []orderStep{{client: 0, line: "XGROUP CREATE s g $ MKSTREAM"},
		{client: 0, line: "XREADGROUP GROUP g c BLOCK 0 STREAMS s >", blocks: true}},
		then: []orderStep{{client: 1, line: "XADD s 1-1 f v"}, {client: 2, line: "FLUSHALL"}}, replies: "211"},
	{name: "SWAPDB and a blocked XREADGROUP", before: []orderStep{{client: 1, line: "SELECT 1"}, {client: 1, line: "XADD s 1-1 f v"},
		{client: 0, line: "XGROUP CREATE s g $ MKSTREAM"}, {client: 0, line: "XREADGROUP GROUP g c BLOCK 0 STREAMS s >", blocks: true}},
		then: []orderStep{{client: 1, line: "SWAPDB 0 1"}, {client: 2, line: "XADD s 2-1 f v"}}, replies: "231"},
	{name: "a subscriber goes, and PUBLISH", before: []orderStep{{client: 0, line: "SUBSCRIBE c"}},
		then: []orderStep{{client: 0}, {client: 1, line: "PUBLISH c m"}}, replies: "11"},
	{name: "a client that waits goes, and RPUSH", before: []orderStep{{client: 0, line: "BLPOP k 0", blocks: true}},
		then: []orderStep{{client: 0}, {client: 1, line: "RPUSH k v"}}, after: []orderStep{{client: 2, line: "LLEN k"}}, replies: "011"},
	{name: "CLIENT KILL and a request of the killed",
		before: []orderStep{{client: 1, line: "ACL SETUSER u on nopass ~* &* +@all"}, {client: 0, line: "AUTH u p"}},
		then:   []orderStep{{client: 1, line: "CLIENT KILL USER u"}, {client: 0, line: "INCR n"}},
		after:  []orderStep{{client: 1, line: "GET n"}}, replies: "c3"},
	{name: "SELECT of one and FLUSHDB of another", before: []orderStep{{client: 0, line: "SET k v"}},
		then: []orderStep{{client: 1, line: "FLUSHDB"}, {client: 0, line: "GET k"}, {client: 2, line: "SET k w"}}, replies: "211"},
	{name: "a script and what it changes", then: []orderStep{{client: 0, line: "EVAL return(redis.call('incr','n')) 0"},
		{client: 1, line: "INCR n"}, {client: 2, line: "INCR n"}}, replies: "111"},
	{name: "RESET of a subscriber, and PUBLISH", before: []orderStep{{client: 0, line: "SUBSCRIBE c"}},
		then: []orderStep{{client: 0, line: "RESET"}, {client: 1, line: "PUBLISH c m"}}, replies: "21"},
}

// oneProcessor pins the test's goroutine to one processor. The kernel keeps the order of what one
// processor sends over loopback; two processors have separate queues.
func oneProcessor(t *testing.T) {
	t.Helper()
	runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
	mask := [16]uint64{}
	_, _, e := syscall.RawSyscall(syscall.SYS_SCHED_GETAFFINITY, 0, unsafe.Sizeof(mask), uintptr(unsafe.Pointer(&mask)))
	require.Zero(t, e)
	for i, m := range mask {
		mask[i] = m & -m
		if m != 0 {
			clear(mask[i+1:])
			break
		}
	}
	_, _, e = syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, 0, unsafe.Sizeof(mask), uintptr(unsafe.Pointer(&mask)))
	require.Zero(t, e)
}

// orderPlayer runs cases on one server.
type orderPlayer struct {
	t       *testing.T
	addr    string
	control *orderClient
}

type orderClient struct {
	nc net.Conn
	d  *resp.Decoder
}

func (p *orderPlayer) dial() *orderClient {
	p.t.Helper()
	nc, err := net.Dial("tcp", p.addr)
	require.NoError(p.t, err)
	require.NoError(p.t, nc.SetDeadline(patience.Deadline()))
	return &orderClient{nc, resp.NewDecoder(nc)}
}

func (c *orderClient) send(t *testing.T, line string) {
	t.Helper()
	_, err := c.nc.Write(resp.AppendCommand(nil, strings.Fields(line)...))
	require.NoError(t, err)
}

func (c *orderClient) read(t *testing.T) string {
	t.Helper()
	v, err := c.d.Decode()
	require.NoError(t, err)
	return string(resp.Append(nil, v, 3))
}

func (p *orderPlayer) ask(line string) string {
	p.t.Helper()
	p.control.send(p.t, line)
	return p.control.read(p.t)
}

// play runs a case and returns what each client got.
func (p *orderPlayer) play(c orderCase) string {
	t := p.t
	t.Helper()
	p.control = p.dial()
	defer p.control.nc.Close()
	p.ask("FLUSHALL")
	clients := make([]*orderClient, len(c.replies))
	for i := range clients {
		clients[i] = p.dial()
		defer clients[i].nc.Close()
		clients[i].send(t, "PING")
		clients[i].read(t)
	}
	got := make([][]string, len(clients))
	step := func(s orderStep) {
		clients[s.client].send(t, s.line)
		if s.blocks {
			for !strings.Contains(p.ask("INFO clients"), "blocked_clients:1\r\n") {
			}
			return
		}
		got[s.client] = append(got[s.client], clients[s.client].read(t))
	}
	for _, s := range c.before {
		step(s)
	}
	// redis-server's epoll keeps a client that it has just served in its list until the next call;
	// the reply to this PING shows that the call was made.
	p.ask("PING")
	for _, s := range c.then {
		if s.line == "" {
			require.NoError(t, clients[s.client].nc.Close())
			continue
		}
		_, _ = clients[s.client].nc.Write(resp.AppendCommand(nil, strings.Fields(s.line)...))
	}
	for i, n := range c.replies {
		if n == 'c' {
			continue
		}
		for want := int(n-'0') - count(c.after, i); len(got[i]) < want; {
			got[i] = append(got[i], clients[i].read(t))
		}
	}
	for i, n := range c.replies {
		if n == 'c' {
			_, err := clients[i].d.Decode()
			require.Error(t, err)
			got[i] = append(got[i], "closed")
		}
	}
	for _, s := range c.after {
		step(s)
	}
	return fmt.Sprintf("%q", got)
}

func count(steps []orderStep, client int) (n int) {
	for _, s := range steps {
		if s.client == client {
			n++
		}
	}
	return n
}

// TestOrderAcrossConnections runs on the oracle and on Redmoon cases whose replies change if the
// requests of two connections are served in another order.
func TestOrderAcrossConnections(t *testing.T) {
	oneProcessor(t)
	for _, c := range orderCases {
		oracle := &orderPlayer{t: t, addr: startOracle(t).Addr}
		redmoon := &orderPlayer{t: t, addr: startRedmoon(t)}
		want := oracle.play(c)
		for range orderTries {
			require.Equal(t, want, redmoon.play(c), c.name)
		}
	}
}
