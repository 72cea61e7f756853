package difftest

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// blamed bounds what blame prints: keys of one failure, and commands of one key.
const (
	blamedKeys     = 8
	blamedCommands = 12
)

// keyState is what one side says of a key.
type keyState struct{ digest, expire, dump string }

// statesOf returns the state of all keys of a database that are not expired, and its DBSIZE.
func statesOf(t *testing.T, p pipe, db int) (map[string]keyState, string) {
	raw, err := p.Run([][]string{{"HELLO", "2"}, {"SELECT", strconv.Itoa(db)}, {"KEYS", "*"}, {"DBSIZE"}})
	require.NoError(t, err)
	size := strings.TrimSpace(string(raw[3]))
	list, ok := elements(raw[2])
	require.True(t, ok, "%q", raw[2])
	keys := make([]string, len(list))
	for i := range list {
		n, _, err := parseFrame(list[i])
		require.NoError(t, err)
		keys[i] = n.text
	}
	states := map[string]keyState{}
	for _, key := range keys {
		raw, err := p.Run([][]string{{"DEBUG", "DIGEST-VALUE", key}, {"PEXPIRETIME", key}, {"DUMP", key}})
		require.NoError(t, err)
		states[key] = keyState{string(raw[0]), strings.TrimSpace(string(raw[1])), string(raw[2])}
	}
	_, err = p.Run([][]string{{"SELECT", "0"}})
	require.NoError(t, err)
	return states, size
}

// blame says in which keys a master and its replica differ, and which commands of a sequence named
// them last. Payloads count only where nothing else differs: equal values may have different
// encodings.
func blame(t *testing.T, master, replica pipe, seq *sequence) string {
	var b strings.Builder
	writes := writers(t, master, seq)
	for _, payloads := range []bool{false, true} {
		for db := range 16 {
			want, size := statesOf(t, master, db)
			got, size2 := statesOf(t, replica, db)
			if size != size2 && !payloads {
				fmt.Fprintf(&b, "database %d: DBSIZE %s on the master, %s on the replica\n", db, size, size2)
			}
			blameKeys(&b, db, want, got, payloads, seq, writes)
		}
		if b.Len() > 0 {
			return b.String()
		}
	}
	return "no key differs\n"
}

func blameKeys(b *strings.Builder, db int, want, got map[string]keyState, payloads bool, seq *sequence, writes map[string]bool) {
	var keys []string
	for key := range want {
		keys = append(keys, key)
	}
	for key := range got {
		if _, both := want[key]; !both {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	shown := 0
	for _, key := range keys {
		w, inMaster := want[key]
		g, inReplica := got[key]
		if w.digest == g.digest && w.expire == g.expire && !(payloads && w.dump != g.dump) {
			continue
		}
		if shown++; shown > blamedKeys {
			fmt.Fprintf(b, "database %d: and other keys\n", db)
			return
		}
		fmt.Fprintf(b, "database %d, key %q:\n", db, key)
		for _, side := range []struct {
			name  string
			there bool
			s     keyState
		}{{"master", inMaster, w}, {"replica", inReplica, g}} {
			if !side.there {
				fmt.Fprintf(b, "\t%-7s does not have it\n", side.name)
				continue
			}
			fmt.Fprintf(b, "\t%-7s DIGEST-VALUE %.60q PEXPIRETIME %s DUMP %.300q\n", side.name, side.s.digest, side.s.expire, side.s.dump)
		}
		for _, line := range seq.naming(key, writes) {
			fmt.Fprintf(b, "\t\t%s\n", line)
		}
	}
}

// writers are the names, in lower case, of the commands of a sequence that can change a key.
func writers(t *testing.T, p pipe, seq *sequence) map[string]bool {
	known := map[string]bool{}
	for _, it := range seq.items {
		for i := range it.steps {
			name := strings.ToLower(it.steps[i].Args[0])
			if _, asked := known[name]; asked {
				continue
			}
			raw, err := p.Run([][]string{{"COMMAND", "INFO", name}})
			require.NoError(t, err)
			known[name] = bytes.Contains(raw[0], []byte("write\r\n")) || bytes.Contains(raw[0], []byte("may_replicate\r\n"))
		}
	}
	return known
}

// naming returns the last commands of a sequence that can change a key: those with its name among
// their arguments, and those that change all keys.
func (seq *sequence) naming(key string, writes map[string]bool) []string {
	var lines []string
	for i, it := range seq.items {
		for j := range it.steps {
			args := it.steps[j].Args
			name := strings.ToLower(args[0])
			if writes[name] && (slices.Contains(args[1:], key) || name == "flushall" || name == "flushdb" || name == "swapdb") {
				lines = append(lines, clip(fmt.Sprintf("%d in database %d, by %s: %q", i, it.db, it.door, args), 600))
			}
		}
	}
	return lines[max(0, len(lines)-blamedCommands):]
}
