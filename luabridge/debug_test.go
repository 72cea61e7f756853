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

func TestDebugShowsOtherTablesAsTostringDoes(t *testing.T) {
	for code, want := range map[string]string{
		`{redis.call}`:                "table: 0x",
		`{1, x = 2}`:                  "table: 0x",
		`{('x'):rep(64 * 1024)}`:      `msg="[\"xxx`,
		`{('x'):rep(64 * 1024), 'y'}`: "table: 0x",
		`(function() local t = {} t[1] = t return t end)()`:                        "table: 0x",
		`(function() local t = {} for i = 1, 2049 do t[i] = i end return t end)()`: "table: 0x",
		`{'\255'}`: `\ufffd`,
	} {
		var log bytes.Buffer
		vm := New(Options{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
		s, err := vm.Compile(`redis.debug(` + code + `) return 1`)
		require.NoError(t, err)
		require.Equal(t, int64(1), vm.Run(newHost(), s, nil, nil).MustInt())
		require.Contains(t, log.String(), want, code)
		vm.Close()
	}
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
