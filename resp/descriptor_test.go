package resp_test

import (
	"bufio"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/resp"
)

// CLIENT INFO shows the descriptor of a connection, as Redis does, and -1 if there is none.
func TestClientInfoShowsTheDescriptor(t *testing.T) {
	info := func(nc net.Conn) string {
		_, err := nc.Write(resp.AppendCommand(nil, "CLIENT", "INFO"))
		require.NoError(t, err)
		v, err := resp.NewDecoder(bufio.NewReader(nc)).Decode()
		require.NoError(t, err)
		return v.Text()
	}
	e, _, addr := serveDebug(t, nil)
	nc, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	defer nc.Close()
	require.Regexp(t, ` fd=[1-9]\d* name=`, info(nc))
	require.Contains(t, info(dial(t, memoryServer(t))), " fd=-1 name=")

	sess, err := e.NewSession()
	require.NoError(t, err)
	defer sess.Close()
	v, err := sess.Do(t.Context(), "CLIENT", "INFO")
	require.NoError(t, err)
	require.Contains(t, v.Text(), " fd=-1 name=")
}
