package aof_test

import (
	"bufio"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/persist/internal/aof"
)

// sample has everything that a file may contain.
var sample = "#TS:1700000000\r\n" + command("SELECT", "0") + command("SET", "key", "two\r\nlines") + command("MULTI") +
	"#TS:1700000001\r\n" + command("INCR", "n") + command("exec") + command("APPEND", "key", "") +
	"#another annotation\n" + command("SET", "big", strings.Repeat("0123456789", 20))

func TestCommandsAreEncodedAsRedisDoes(t *testing.T) {
	require.Equal(t, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$0\r\n\r\n", string(aof.AppendCommand(nil, []string{"SET", "k", ""})))
	require.Equal(t, "x*1\r\n$4\r\nPING\r\n", string(aof.AppendCommand([]byte("x"), [][]byte{[]byte("PING")})))
	require.Equal(t, "#TS:12\r\n", string(aof.AppendTimestamp(nil, 12)))
}

func TestReaderReadsCommands(t *testing.T) {
	for _, source := range []io.Reader{strings.NewReader(sample), iotest.OneByteReader(strings.NewReader(sample))} {
		r := aof.NewReader(source, "a.aof", 100)
		commands, err := readAll(r)
		require.NoError(t, err)
		require.Equal(t, [][]string{{"SELECT", "0"}, {"SET", "key", "two\r\nlines"}, {"MULTI"}, {"INCR", "n"}, {"exec"},
			{"APPEND", "key", ""}, {"SET", "big", strings.Repeat("0123456789", 20)}}, commands)
		require.EqualValues(t, 100+len(sample), r.Offset())
		require.EqualValues(t, 100+len(sample), r.Safe())
		require.EqualValues(t, 1700000001, r.Timestamp())
		_, err = r.Next()
		require.ErrorIs(t, err, io.EOF)
	}
}

// Each truncation is a truncation and not corrupt, and cutting at Safe leaves a whole file.
func TestEachTruncation(t *testing.T) {
	for n := range len(sample) {
		r := aof.NewReader(strings.NewReader(sample[:n]), "a.aof", 0)
		commands, err := readAll(r)
		if err == nil {
			require.EqualValues(t, n, r.Safe())
			continue
		}
		var e *aof.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, aof.Truncated, e.Damage, "at %d: %v", n, err)
		require.Contains(t, err.Error(), "Unexpected end of file reading the append only file a.aof: at offset ")
		require.LessOrEqual(t, e.Offset, int64(n))
		require.Less(t, e.Safe, int64(n))
		again, err := readAll(aof.NewReader(strings.NewReader(sample[:e.Safe]), "", 0))
		require.NoError(t, err)
		require.LessOrEqual(t, len(again), len(commands))
		if e.Multi {
			require.Equal(t, strings.Index(sample, command("MULTI")), int(e.Safe), "the transaction is cut whole")
		}
	}
}

func TestCorruptFiles(t *testing.T) {
	ping := command("PING")
	for text, at := range map[string]int{
		"x":                                    0,
		"\x00\x00\x00":                         0,
		ping + "junk":                          len(ping),
		ping + "\r\n":                          len(ping),
		"*0\r\n":                               0,
		"*-1\r\n":                              0,
		"*\r\n":                                0,
		"*1\n":                                 0,
		"*+1\r\n$4\r\nPING\r\n":                0,
		"* 1\r\n$4\r\nPING\r\n":                0,
		"*2147483648\r\n":                      0,
		"*1\r\n$1099511627777\r\n":             4,
		"*1\r\n$-1\r\n":                        4,
		"*1\r\n$4\r\nPINGxx":                   12,
		"*1\r\n$4\r\nPING\rx":                  12,
		"*1\r\n:4\r\n":                         4,
		"*1x":                                  0,
		"*" + strings.Repeat("0", 40):          0,
		"#" + strings.Repeat("x", 1024):        0,
		command("EXEC"):                        0,
		command("multi") + command("MULTI"):    15,
		command("MULTI") + ping + ping[1:]:     29,
		"*1\r\n$4\r\nPING\r\n*1\r\n$x\r\n":     18,
		"#" + strings.Repeat("x", 1023) + "\n": 0,
	} {
		var e *aof.Error
		_, err := readAll(aof.NewReader(strings.NewReader(text), "a.aof", 0))
		require.ErrorAs(t, err, &e, "%q", text)
		require.Equal(t, aof.Corrupt, e.Damage, "%q: %v", text, err)
		require.EqualValues(t, at, e.Offset, "%q: %v", text, err)
		require.Contains(t, err.Error(), "Bad file format reading the append only file a.aof: at offset ")
	}
	require.NoError(t, func() error {
		_, err := readAll(aof.NewReader(strings.NewReader("#"+strings.Repeat("x", 1022)+"\n"), "", 0))
		return err
	}(), "the longest annotation")
}

func TestAnErrorOfTheDiskIsNotATruncation(t *testing.T) {
	broken := errors.New("broken disk")
	for n := range len(sample) {
		r := aof.NewReader(io.MultiReader(strings.NewReader(sample[:n]), iotest.ErrReader(broken)), "a.aof", 0)
		_, err := readAll(r)
		require.ErrorIs(t, err, broken)
		var e *aof.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, aof.Unreadable, e.Damage)
		_, again := r.Next()
		require.Equal(t, err, again)
	}
}

// Lengths that a file claims cost no memory.
func TestLengthsAreNotBelieved(t *testing.T) {
	for _, text := range []string{"*2147483647\r\n$1\r\nx\r\n", "*1\r\n$536870912\r\nabc"} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := readAll(aof.NewReader(strings.NewReader(text), "", 0))
		runtime.ReadMemStats(&after)
		require.Error(t, err)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
	}
}

func TestMaxBulk(t *testing.T) {
	r := aof.NewReader(strings.NewReader(command("ECHO", "12345")), "", 0)
	r.MaxBulk = 4
	_, err := r.Next()
	require.ErrorContains(t, err, "not a length")
}

func TestRDBPreamble(t *testing.T) {
	for text, want := range map[string]bool{"REDIS0010": true, "REDIS": true, "REDI": false, "": false, sample: false, "VALKEY080": false} {
		got, err := aof.IsRDB(bufio.NewReader(strings.NewReader(text)), false)
		require.NoError(t, err)
		require.Equal(t, want, got, text)
	}
	for text, want := range map[string]bool{"REDIS0010": true, "REDIS": true, "VALKEY080": true, "VALKEY": true, "VALKE": false} {
		got, err := aof.IsRDB(bufio.NewReader(strings.NewReader(text)), true)
		require.NoError(t, err)
		require.Equal(t, want, got, text)
	}
	r := bufio.NewReaderSize(strings.NewReader("REDIS-the-rdb-part"+sample), 64<<10)
	_, err := r.Discard(len("REDIS-the-rdb-part"))
	require.NoError(t, err)
	commands, err := readAll(aof.NewReader(r, "", int64(len("REDIS-the-rdb-part"))))
	require.NoError(t, err)
	require.Len(t, commands, 7)
	_, err = aof.IsRDB(bufio.NewReader(iotest.ErrReader(io.ErrNoProgress)), true)
	require.ErrorIs(t, err, io.ErrNoProgress)
}

func FuzzReader(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte(command("MULTI") + command("SET", "a", "b")))
	f.Add([]byte("*1\r\n$536870912\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := aof.NewReader(strings.NewReader(string(data)), "", 0)
		commands, err := readAll(r)
		require.LessOrEqual(t, r.Safe(), r.Offset())
		require.LessOrEqual(t, r.Offset(), int64(len(data)))
		if err == nil {
			require.EqualValues(t, len(data), r.Safe())
			return
		}
		var e *aof.Error
		require.ErrorAs(t, err, &e)
		require.NotEqual(t, aof.Unreadable, e.Damage)
		require.LessOrEqual(t, e.Safe, e.Offset)
		require.LessOrEqual(t, e.Offset, int64(len(data)))
		again, err := readAll(aof.NewReader(strings.NewReader(string(data[:e.Safe])), "", 0))
		require.NoError(t, err, "what is cut at Safe is whole")
		require.Equal(t, append([][]string(nil), commands[:len(again)]...), append([][]string(nil), again...))
	})
}
