package resp

import (
	"bufio"
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAMonitorSeesWhereCommandsComeFrom(t *testing.T) {
	e, addr := startEngine(t, nil)
	m := dial(t, addr)
	ask(t, m, "MONITOR\r\n", "+OK\r\n")
	path := filepath.Join(t.TempDir(), "s")
	l, err := Listen(path)
	require.NoError(t, err)
	s := NewServer(e, Options{})
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	r := bufio.NewReader(m)
	line := func() string {
		text, err := r.ReadString('\n')
		require.NoError(t, err)
		_, rest, _ := strings.Cut(text, " ")
		return rest
	}
	u := dial(t, l.Addr())
	ask(t, u, "ECHO socket\r\n", "$6\r\nsocket\r\n")
	require.Equal(t, "[0 unix:"+path+"] \"ECHO\" \"socket\"\r\n", line())
	_, err = e.Do(context.Background(), "ECHO", "program")
	require.NoError(t, err)
	require.Equal(t, "[0 ?:0] \"ECHO\" \"program\"\r\n", line())
}

func TestAMonitorThatDoesNotReadIsDisconnected(t *testing.T) {
	e, addr := startEngine(t, map[string]string{"client-output-buffer-limit": "normal 1mb 0 0"})
	slow := dial(t, addr)
	ask(t, slow, "MONITOR\r\n", "+OK\r\n")
	message := strings.Repeat("x", 1000)
	for {
		_, err := e.Do(context.Background(), "ECHO", message)
		require.NoError(t, err)
		v, err := e.Do(context.Background(), "INFO", "clients")
		require.NoError(t, err)
		if strings.Contains(v.Text(), "connected_clients:0\r\n") {
			break
		}
	}
	_, err := io.Copy(io.Discard, slow)
	require.NoError(t, err)
}
