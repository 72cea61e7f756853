package display_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"net"
	"os/exec"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/display"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/reply"
	"github.com/redmoon-lua/redmoon/resp"
	"github.com/stretchr/testify/require"
)

// replies serves the command "show N", whose reply over RESP3 is vs[N], and HELLO as Redis does.
func replies(t *testing.T, vs []reply.Value) (port string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			go answer(nc, vs)
		}
	}()
	_, port, _ = net.SplitHostPort(l.Addr().String())
	return port
}

func answer(nc net.Conn, vs []reply.Value) {
	defer nc.Close()
	d := resp.NewDecoder(bufio.NewReader(nc))
	for {
		command, err := d.Decode()
		if err != nil {
			return
		}
		v := reply.Err("ERR unknown command")
		switch command.Strings()[0] {
		case "HELLO":
			v = reply.Map(reply.Bulk("proto"), reply.Int(3))
		case "show":
			v = vs[command.Slice()[1].MustInt()]
		}
		if _, err := nc.Write(resp.Append(nil, v, 3)); err != nil {
			return
		}
	}
}

// randomReply returns a reply of any kind that redis-cli can print.
func randomReply(r *rand.Rand, depth int) reply.Value {
	n := 12
	if depth <= 0 {
		n = 8
	}
	switch r.IntN(n) {
	case 0:
		return reply.Int(r.Int64N(2000) - 1000)
	case 1:
		return reply.Bulk(strings.Repeat(string([]byte{byte(r.IntN(256)), byte(r.IntN(256)), 'x'}), r.IntN(3)))
	case 2:
		return reply.Nil()
	case 3:
		return reply.Bool(r.IntN(2) == 0)
	case 4:
		return reply.Double(float64(r.IntN(1000)) / 8)
	case 5:
		return reply.Err("ERR some error")
	case 6:
		return reply.Status("FINE")
	case 7:
		return reply.Verbatim("txt", "two\nlines")
	}
	size := []int{0, 1, 2, 3, 11}[r.IntN(5)]
	list := make([]reply.Value, 2*size)
	for i := range list {
		list[i] = randomReply(r, depth-1)
	}
	switch r.IntN(3) {
	case 0:
		return reply.Map(list...)
	case 1:
		return reply.Set(list[:size]...)
	}
	return reply.Array(list[:size]...)
}

func TestFormatsEqualThoseOfRedisCLI(t *testing.T) {
	cli := redistest.NeedProgram(t, "redis-cli")
	r := rand.New(rand.NewPCG(7, 8))
	vs := make([]reply.Value, 400)
	for i := range vs {
		vs[i] = randomReply(r, 3)
	}
	port := replies(t, vs)
	for mode, format := range map[string]func([]byte, reply.Value) []byte{"--no-raw": display.Standard, "--raw": display.Raw} {
		var script strings.Builder
		for i := range vs {
			fmt.Fprintf(&script, "show %d\n", i)
		}
		cmd := exec.Command(cli, "-p", port, "-3", mode)
		cmd.Stdin = strings.NewReader(script.String())
		got, err := cmd.Output()
		require.NoError(t, err)
		for i, v := range vs {
			want := string(format(nil, v))
			require.Equal(t, string(got[:min(len(got), len(want))]), want, "%s, reply %d", mode, i)
			got = got[len(want):]
		}
		require.Empty(t, got)
	}
}
