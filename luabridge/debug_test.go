package luabridge

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDebugShowsTablesAsPlainJSON(t *testing.T) {
	var log bytes.Buffer
	vm := New(Options{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	defer vm.Close()
	s, err := vm.Compile(`redis.debug('stock', {id = 7}, {1, 2}, nil) return 1`)
	require.NoError(t, err)
	require.Equal(t, int64(1), vm.Run(newHost(), s, nil, nil).MustInt())
	require.Contains(t, log.String(), `msg="stock {\"id\":7} [1,2] nil" from=redis.debug script=`+s.SHA)
}

func TestDebugIsSilentByDefault(t *testing.T) {
	var log bytes.Buffer
	vm := New(Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	defer vm.Close()
	s, err := vm.Compile(`redis.debug({}) return 1`)
	require.NoError(t, err)
	require.Equal(t, int64(1), vm.Run(newHost(), s, nil, nil).MustInt())
	require.Empty(t, log.String())
}
