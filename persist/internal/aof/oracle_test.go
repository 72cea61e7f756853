package aof_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/redmoon-lua/redmoon/persist/internal/aof"
)

// small has one of everything and few bytes.
var small = "#TS:17\r\n" + command("SET", "key", "v") + command("MULTI") + command("INCR", "n") + command("EXEC") +
	"#x\n" + command("DEL", "k")

// accepted reports whether redis-check-aof accepts a file.
func accepted(t *testing.T, bin, text string) bool {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.aof")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	out, err := exec.Command(bin, path).CombinedOutput()
	if err != nil {
		require.Contains(t, string(out), "is not valid", "%q", text)
	}
	return err == nil
}

// stricter returns why a Reader refuses what redis-check-aof accepts; "" if it should not.
func stricter(err error) string {
	for words, why := range map[string]string{
		"the end of the line is missing": "an annotation without its end: the next command would be appended to it and be lost",
		"not a length: \"*+":             "a sign: Redis never writes it",
		"not a length: \"$+":             "a sign: Redis never writes it",
		"not a length: \"* ":             "a space: Redis never writes it",
		"not a length: \"$ ":             "a space: Redis never writes it",
		"not a length: \"*\\":            "white space: Redis never writes it; or no digit, which is a command without arguments",
		"not a length: \"$\\":            "white space: Redis never writes it",
		"not a length: \"*0":             "a command without arguments: redis-server refuses it",
		"not a length: \"*-":             "a command without arguments: redis-server refuses it",
	} {
		if strings.Contains(err.Error(), words) {
			return why
		}
	}
	return ""
}

func compare(t *testing.T, bin, text string) {
	t.Helper()
	_, err := readAll(aof.NewReader(strings.NewReader(text), "a.aof", 0))
	redis := accepted(t, bin, text)
	switch {
	case redis && err != nil:
		require.NotEmpty(t, stricter(err), "%q: %v", text, err)
	case !redis:
		require.Error(t, err, "%q", text)
	}
}

func TestVerdictsOnTruncations(t *testing.T) {
	bin := redistest.NeedProgram(t, "redis-check-aof")
	for n := range len(small) + 1 {
		compare(t, bin, small[:n])
	}
}

func TestVerdictsOnFlippedBytes(t *testing.T) {
	bin := redistest.NeedProgram(t, "redis-check-aof")
	for i := range small {
		for _, mask := range []byte{1, 2, 8, 16, 32, 0x80}[:tier.Amount(2, 6)] {
			damaged := []byte(small)
			damaged[i] ^= mask
			compare(t, bin, string(damaged))
		}
	}
}

func TestVerdictsOnDroppedAndDoubledBytes(t *testing.T) {
	tier.Landing(t)
	bin := redistest.NeedProgram(t, "redis-check-aof")
	for i := range small {
		compare(t, bin, small[:i]+small[i+1:])
		compare(t, bin, small[:i]+small[i:i+1]+small[i:])
	}
}
