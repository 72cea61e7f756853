package replay_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/tools/recording"
	"github.com/redmoon-lua/redmoon/internal/tools/replay"
)

// number returns the value of an environment variable, or another number.
func number(t *testing.T, name string, other uint64) uint64 {
	text := os.Getenv(name)
	if text == "" {
		return other
	}
	n, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err)
	return n
}

// A replay of any file ends without a panic. The files are those of a session with lines left out,
// repeated and changed. REDMOON_STEPS is their number, REDMOON_SEED chooses others.
func TestRandomRecordings(t *testing.T) {
	p := newTape(t).open(2).
		do("SET k v PX 5", "+OK").do("MULTI", "+OK").do("INCR n", "+QUEUED").do("EXEC", "*1\r\n:1").
		ask(1, "BLPOP l 0").ask(2, "RPUSH l a").answer(2, ":1").answer(1, "*2\r\n$1\r\nl\r\n$1\r\na").
		ask(2, "HELLO 3").answer(2, "%1\r\n$5\r\nproto\r\n:3").ask(2, "SPOP s").answer(2, "_").do("SELECT 3", "+OK").
		do("EVAL 'return redis.call(\"TIME\")' 0", "*2\r\n$10\r\n1767323045\r\n$1\r\n0")
	require.NoError(t, p.w.Finish(recording.Interrupted))
	lines := bytes.SplitAfter(bytes.TrimSuffix(p.file.Bytes(), []byte("\n")), []byte("\n"))
	words := []string{
		"BLPOP", "RPUSH", "INCR", "MULTI", "EXEC", "SPOP", "HELLO", "SUBSCRIBE", "CLIENT", "WAIT", "MONITOR", "XREAD", "QUIT",
		"RESET", "DISCARD", "WATCH", "SELECT", "TIME", "k", "l",
	}
	seed := number(t, "REDMOON_SEED", 1)
	r := rand.New(rand.NewPCG(seed, seed))
	for range number(t, "REDMOON_STEPS", 500) {
		var file []byte
		for _, line := range lines {
			line = bytes.Clone(line)
			switch r.IntN(12) {
			case 0:
				continue
			case 1:
				file = append(file, line...)
			case 2:
				line[r.IntN(len(line))] = byte(r.IntN(128))
			case 3:
				for _, w := range words {
					line = bytes.Replace(line, []byte(w), []byte(words[r.IntN(len(words))]), 1)
				}
			}
			file = append(file, line...)
		}
		src, err := recording.NewReader(bytes.NewReader(file))
		if err != nil {
			continue
		}
		_, err = replay.Run(patience.Context(t), src, replay.Options{})
		require.NotErrorIs(t, err, context.DeadlineExceeded, "REDMOON_SEED=%d: %s", seed, file)
	}
}
