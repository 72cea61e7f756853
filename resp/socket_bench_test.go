package resp_test

import (
	"bufio"
	"io"
	"net"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/resp"
)

// BenchmarkSocket measures one client of a server on the loopback interface, with 1 and with 16
// commands in a pipeline. An operation is a command.
func BenchmarkSocket(b *testing.B) {
	for _, c := range []struct {
		name    string
		command []string
		reply   string
	}{{"SET", []string{"SET", "key", "value"}, "+OK\r\n"}, {"GET", []string{"GET", "key"}, "$5\r\nvalue\r\n"}} {
		for _, n := range []int{1, 16} {
			b.Run(c.name+"/pipeline="+strconv.Itoa(n), func(b *testing.B) {
				e, err := engine.New(engine.Options{})
				require.NoError(b, err)
				defer e.Close()
				_, err = e.Do(b.Context(), "SET", "key", "value")
				require.NoError(b, err)
				s := resp.NewServer(e, resp.Options{})
				defer s.Close()
				l, err := net.Listen("tcp", "127.0.0.1:0")
				require.NoError(b, err)
				go s.Serve(l)
				nc, err := net.Dial("tcp", l.Addr().String())
				require.NoError(b, err)
				defer nc.Close()
				var request []byte
				for range n {
					request = resp.AppendCommand(request, c.command...)
				}
				in, buf := bufio.NewReader(nc), make([]byte, n*len(c.reply))
				for i := 0; i < b.N; i += n {
					_, err := nc.Write(request)
					require.NoError(b, err)
					_, err = io.ReadFull(in, buf)
					require.NoError(b, err)
				}
			})
		}
	}
}
