package resp_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/difftest"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/resp"
)

// startOracle starts redis-server. The test is skipped as [redistest.Need] says.
func startOracle(t *testing.T) *difftest.Oracle {
	t.Helper()
	redistest.Need(t)
	o, err := difftest.StartOracle()
	require.NoError(t, err)
	t.Cleanup(o.Stop)
	return o
}

// startRedmoon serves a fresh engine on a free port.
func startRedmoon(t *testing.T) string {
	t.Helper()
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	l, err := resp.Listen("127.0.0.1:0")
	require.NoError(t, err)
	s := resp.NewServer(e, resp.Options{})
	go s.Serve(l)
	t.Cleanup(func() {
		assert.NoError(t, s.Close())
		assert.NoError(t, e.Close())
	})
	return l.Addr().String()
}

// converse sends wire, which ends with QUIT, and returns everything that the server sends until it
// closes. With cut, the client closes its sending side; then wire needs no QUIT, if the replies are
// short.
func converse(t *testing.T, addr, wire string, cut bool) string {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.SetDeadline(patience.Deadline()))
	if _, err = io.WriteString(c, wire); err == nil && cut {
		_ = c.(*net.TCPConn).CloseWrite() // fails if the server has already closed
	}
	var got bytes.Buffer
	_, _ = io.Copy(&got, c) // ends with EOF, or with a reset if bytes were left unread
	return got.String()
}

// mutate replaces a few bytes of a well-formed pipeline by bytes with a meaning for the parser.
func mutate(r *rand.Rand) string {
	words := []string{"PING", "ECHO", "a", "", "\"q\"", "'", "\\x41", "two\r\nlines", "\x00", "12", "-1", strings.Repeat("z", 300)}
	pick := func() string { return words[r.IntN(len(words))] }
	var b []byte
	for range 1 + r.IntN(4) {
		if r.IntN(2) == 0 {
			b = resp.AppendCommand(b, []string{"PING", "ECHO"}[r.IntN(2)], pick())
		} else {
			b = fmt.Appendf(b, "%s %s%s\r\n", []string{"PING", "echo"}[r.IntN(2)], pick(), pick())
		}
	}
	const marks = "*$\r\n\x00 '\"\\x0123-+\xff\t\v"
	for range r.IntN(4) {
		at := r.IntN(len(b))
		switch m := marks[r.IntN(len(marks))]; r.IntN(3) {
		case 0:
			b[at] = m
		case 1:
			b = append(b[:at:at], b[at+1:]...)
		default:
			b = append(b[:at:at], append([]byte{m}, b[at:]...)...)
		}
		if len(b) == 0 {
			break
		}
	}
	return string(b)
}

func TestDamagedRequestsAreAnsweredAsByTheOracle(t *testing.T) {
	oracle, addr := startOracle(t), startRedmoon(t)
	for seed := range uint64(1500) {
		wire := mutate(rand.New(rand.NewPCG(seed, 7)))
		require.Equal(t, converse(t, oracle.Addr, wire, true), converse(t, addr, wire, true), "seed %d: %q", seed, wire)
	}
}

func TestRequestsOfEverySizeAreAnsweredAsByTheOracle(t *testing.T) {
	oracle, addr := startOracle(t), startRedmoon(t)
	for _, size := range []int{0, 1, 255, 256, 16383, 16384, 16385, 32768, 65536, 1 << 20, 5<<20 + 1} {
		wire := string(resp.AppendCommand(resp.AppendCommand(nil, "ECHO", strings.Repeat("v", size)), "QUIT"))
		require.True(t, converse(t, oracle.Addr, wire, false) == converse(t, addr, wire, false), "argument of %d bytes", size)
	}
}

// TestEveryKindOfTheOracleIsDecodedAndEncoded decodes and encodes the oracle's sample of each kind
// of reply.
func TestEveryKindOfTheOracleIsDecodedAndEncoded(t *testing.T) {
	oracle := startOracle(t)
	for _, kind := range strings.Fields("string integer double null array set map attrib verbatim true false bignum") {
		for proto := 2; proto <= 3; proto++ {
			wire := converse(t, oracle.Addr, fmt.Sprintf("HELLO %d\r\nDEBUG PROTOCOL %s\r\nQUIT\r\n", proto, kind), false)
			d := resp.NewDecoder(strings.NewReader(wire))
			var again []byte
			for range 3 {
				v, err := d.Decode()
				require.NoError(t, err, "%s in RESP%d", kind, proto)
				again = resp.Append(again, v, proto)
			}
			assert.Equal(t, wire, string(again), "%s in RESP%d", kind, proto)
		}
	}
}
