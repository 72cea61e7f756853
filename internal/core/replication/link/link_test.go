package link

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/stretchr/testify/require"
)

// recorder is a host that keeps what it gets.
type recorder struct {
	mu       sync.Mutex
	hello    Hello
	copies   []string
	commands []string
	offset   int64
	lost     []bool
	ended    chan struct{} // closed when the first attempt has ended
	once     sync.Once
}

func (r *recorder) Hello() (Hello, error) { return r.hello, nil }
func (r *recorder) Continue(string) error { r.offset = r.hello.Offset - 1; return nil }
func (r *recorder) Rejected()             {}
func (r *recorder) FullSync(Sync) error   { return nil }
func (r *recorder) Changed(s State) {
	if s == Waiting {
		r.once.Do(func() { close(r.ended) })
	}
}

func (r *recorder) Load(s Sync, in io.Reader) error {
	b, err := io.ReadAll(io.LimitReader(in, 1<<20))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.copies, r.offset = append(r.copies, string(b)), s.Offset
	return err
}

func (r *recorder) Apply(b *Batch) (int64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, args := range b.Commands {
		r.commands = append(r.commands, strings.Join(args, " "))
	}
	r.offset += int64(len(b.Raw))
	return r.offset, nil
}

func (r *recorder) Lost(_ error, again bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lost = append(r.lost, again)
}

// stoppedClock never fires.
type stoppedClock struct{}

func (stoppedClock) Now() time.Time                         { return time.Unix(1, 0) }
func (stoppedClock) AfterFunc(time.Duration, func()) func() { return func() {} }

// talk lets a master send all of its bytes, and returns what the replica has sent until the
// connection ended.
func talk(t testing.TB, host *recorder, master string) string {
	return talkInTurn(t, host, master, "")
}

// talkInTurn is talk for a master that sends the bytes in later when the replica has acknowledged
// something.
func talkInTurn(t testing.TB, host *recorder, master, later string) string {
	host.ended = make(chan struct{})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	dialed := false // Dial is called by one goroutine
	l := Start(Options{
		Host: host, Clock: stoppedClock{}, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), MaxCommand: 1 << 16,
		Dial: func(context.Context, string, bool) (net.Conn, error) {
			if dialed {
				return nil, errors.New("only once")
			}
			dialed = true
			return net.Dial("tcp", listener.Addr().String())
		},
	})
	conn, err := listener.Accept()
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(patience.Deadline()))
	acknowledged := make(chan struct{})
	go func() {
		_, _ = conn.Write([]byte(master))
		if later != "" {
			<-acknowledged
			_, _ = conn.Write([]byte(later))
		}
		_ = conn.(*net.TCPConn).CloseWrite()
	}()
	var sent []byte
	for part, open := make([]byte, 1<<10), true; open; {
		n, err := conn.Read(part)
		before := bytes.Contains(sent, acknowledgement)
		sent = append(sent, part[:n]...)
		open = err == nil
		if !before && (!open || bytes.Contains(sent, acknowledgement)) {
			close(acknowledged)
		}
	}
	<-host.ended
	l.Stop()
	<-l.Done()
	return string(sent)
}

// acknowledgement is the beginning of REPLCONF ACK.
var acknowledgement = []byte("*3\r\n$8\r\nREPLCONF\r\n$3\r\nACK\r\n")

var replID = strings.Repeat("a", 40)

const greeting = "+PONG\r\n+OK\r\n+OK\r\n"

func TestFullSyncAndStream(t *testing.T) {
	ping := "*1\r\n$4\r\nPING\r\n"
	getack := "*3\r\n$8\r\nREPLCONF\r\n$6\r\nGETACK\r\n$1\r\n*\r\n"
	mark := strings.Repeat("m", 40)
	for name, data := range map[string]string{"sized": "$5\r\nhello", "marked": "$EOF:" + mark + "\r\nhello" + mark} {
		t.Run(name, func(t *testing.T) {
			host := &recorder{}
			start := greeting + "\n+FULLRESYNC " + replID + " 100\r\n\n" + data
			var sent string
			if stream := ping + getack + ping; name == "marked" { // the master waits for the replica after the mark
				sent = talkInTurn(t, host, start, stream)
			} else {
				sent = talk(t, host, start+stream)
			}
			require.Equal(t, []string{"hello"}, host.copies)
			require.Equal(t, []string{"PING", "REPLCONF GETACK *", "PING"}, host.commands)
			require.Equal(t, []bool{true}, host.lost)
			require.Contains(t, sent, "PSYNC\r\n$1\r\n?\r\n$2\r\n-1\r\n")
			require.True(t, strings.HasSuffix(sent, "*3\r\n$8\r\nREPLCONF\r\n$3\r\nACK\r\n$3\r\n114\r\n"), sent)
			require.EqualValues(t, 100+14+37+14, host.offset)
		})
	}
}

func TestMark(t *testing.T) {
	mark := strings.Repeat("m", 40)
	b, err := io.ReadAll(&marked{in: strings.NewReader("some bytes" + mark), mark: mark})
	require.NoError(t, err)
	require.Equal(t, "some bytes", string(b))
	_, err = io.ReadAll(&marked{in: strings.NewReader("some bytes" + mark[1:]), mark: mark})
	require.ErrorIs(t, err, ErrCut)
}

func TestPartialSync(t *testing.T) {
	host := &recorder{hello: Hello{Resume: true, ReplID: replID, Offset: 51, User: "u", Password: "p", AnnounceIP: "1.2.3.4"}}
	sent := talk(t, host, greeting+"+OK\r\n+OK\r\n+CONTINUE "+strings.Repeat("b", 40)+"\r\n*1\r\n$4\r\nPING\r\n")
	require.Equal(t, []string{"PING"}, host.commands)
	require.Empty(t, host.copies)
	require.EqualValues(t, 64, host.offset)
	require.Contains(t, sent, "*3\r\n$4\r\nAUTH\r\n$1\r\nu\r\n$1\r\np\r\n")
	require.Contains(t, sent, "$10\r\nip-address\r\n$7\r\n1.2.3.4\r\n")
	require.Contains(t, sent, "*3\r\n$5\r\nPSYNC\r\n$40\r\n"+replID+"\r\n$2\r\n51\r\n")
}

func TestOldMaster(t *testing.T) {
	host := &recorder{}
	sent := talk(t, host, greeting+"-ERR unknown command\r\n$2\r\nxy*1\r\n$4\r\nPING\r\n")
	require.Equal(t, []string{"xy"}, host.copies)
	require.True(t, strings.HasSuffix(sent, "SYNC\r\n"), sent)
}

// A master that violates the protocol loses the position of the replica; one that is cut off does
// not.
func TestLyingMasters(t *testing.T) {
	start := greeting + "+FULLRESYNC " + replID + " 100\r\n"
	for stream, again := range map[string]bool{
		"PING\r\n":                             false,
		"*1\r\n$4294967296\r\n":                true,
		"*1\r\n$-1\r\n":                        false,
		"*99999999999\r\n":                     false,
		"*2147483647\r\n$1\r\na\r\n":           true,
		"*1\r\n$60000\r\nshort":                true,
		strings.Repeat("*", 70_000):            false,
		"*1\r\n:1\r\n":                         false,
		"\n\n*1\r\n$4\r\nPI":                   true,
		"*2\r\n" + strings.Repeat("$1\r\n", 1): true,
	} {
		host := &recorder{}
		talk(t, host, start+"$0\r\n"+stream)
		require.Equal(t, []bool{again}, host.lost, "%.50q", stream)
	}
	for _, data := range []string{"$-5\r\n", "$x\r\n", "hello\r\n", "-ERR no\r\n", "$100\r\nabc", "$EOF:short\r\n"} {
		host := &recorder{}
		talk(t, host, start+data)
		require.Len(t, host.lost, 1, data)
		require.Empty(t, host.commands)
	}
}

func FuzzMaster(f *testing.F) {
	f.Add("")
	f.Add("+PONG\r\n+OK\r\n-ERR\r\n+CONTINUE\r\n")
	f.Add(greeting + "+FULLRESYNC " + replID + " 1\r\n$1\r\na*1\r\n$4\r\nPING\r\n")
	f.Add(greeting + "+FULLRESYNC " + replID + " 1\r\n$EOF:" + replID + "\r\nab" + replID)
	f.Fuzz(func(t *testing.T, master string) {
		host := &recorder{hello: Hello{Resume: true, ReplID: replID, Offset: 1}}
		talk(t, host, master)
		require.LessOrEqual(t, len(host.lost), 1)
	})
}

// A long argument takes its length once until it is whole, and twice then: in the command, and in
// the bytes that the replica passes on.
func TestALongArgumentIsNotCopiedWhileItArrives(t *testing.T) {
	const size = 64 << 20
	part := make([]byte, 16<<10)
	allocated := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.TotalAlloc
	}
	p := parser{most: 1 << 30}
	add := func(b []byte) {
		for len(b) > 0 {
			n := copy(p.room(part), b)
			p.fill(part, n)
			b = b[n:]
		}
	}
	before := allocated()
	add(fmt.Appendf(nil, "*1\r\n$4\r\nPING\r\n*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$%d\r\n", size))
	args, err := p.next()
	require.NoError(t, err)
	require.Equal(t, []string{"PING"}, args)
	for sent := 0; sent < size; sent += len(part) {
		args, err = p.next()
		require.NoError(t, err)
		require.Nil(t, args)
		p.compact()
		add(part)
	}
	require.Less(t, allocated()-before, uint64(size*5/4))
	add([]byte("\r\n"))
	args, err = p.next()
	require.NoError(t, err)
	require.Len(t, args, 3)
	require.Len(t, args[2], size)
	require.Len(t, p.buf[:p.from], size+len("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$67108864\r\n\r\n"))
	require.Less(t, allocated()-before, uint64(size*13/4))
	p.compact()
	require.Less(t, cap(p.buf), 1<<20)
	add([]byte("*1\r\n$4\r\nPING\r\n"))
	args, err = p.next()
	require.NoError(t, err)
	require.Equal(t, []string{"PING"}, args)
}
