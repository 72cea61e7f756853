package difftest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/redmoon-lua/redmoon/resp"
)

// replicaPipe is a replica of the oracle that only reads what it is sent.
type replicaPipe struct {
	c net.Conn
	r *bufio.Reader
}

// startReplica connects as a replica and reads the copy of the data set.
func startReplica(oracle *netPipe) (*replicaPipe, error) {
	if err := keepReplica(oracle); err != nil {
		return nil, err
	}
	c, err := net.Dial("tcp", oracle.c.RemoteAddr().String())
	if err != nil {
		return nil, err
	}
	p := &replicaPipe{c: c, r: bufio.NewReaderSize(c, 1<<16)}
	if _, err := c.Write(resp.AppendCommand(nil, "SYNC")); err != nil {
		return nil, err
	}
	line := "\n" // an empty line says that the copy is still being made
	for line == "\n" && err == nil {
		line, err = p.r.ReadString('\n')
	}
	if err != nil {
		return nil, err
	}
	length, err := strconv.ParseInt(strings.Trim(line, "$\r\n"), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("oracle: answer to SYNC: %q", line)
	}
	_, err = io.CopyN(io.Discard, p.r, length)
	return p, err
}

// keepReplica configures the oracle so that it keeps a replica that never answers, and sends it
// nothing by itself.
func keepReplica(oracle *netPipe) error {
	for _, args := range [][]string{{"CONFIG", "SET", "repl-diskless-sync", "no"}, {"CONFIG", "SET", "repl-ping-replica-period", "100000"},
		{"CONFIG", "SET", "repl-timeout", "1000000"}} {
		if raw, err := oracle.Run([][]string{args}); err != nil || raw[0][0] != '+' {
			return fmt.Errorf("oracle: %q: %q %w", args, raw, err)
		}
	}
	return nil
}

// oracleOfItsOwn starts a server for one test: a server that has had a replica shows it in ROLE and
// INFO for ever.
func oracleOfItsOwn(t *testing.T) *Oracle {
	o, err := StartOracle()
	require.NoError(t, err)
	t.Cleanup(o.Stop)
	return o
}

// isMark reports whether a command that was sent stands behind an item.
func isMark(frame []byte) bool {
	return bytes.HasPrefix(frame, []byte("*3\r\n$7\r\nPUBLISH\r\n$4\r\n"+eventMark+"\r\n"))
}

// followEffects listens to what both sides send to their replicas.
func (f *fuzzer) followEffects(seq *sequence, ours pipe) (*listeners, error) {
	if f.replica == nil {
		var err error
		if f.replica, err = startReplica(f.oracle); err != nil {
			return nil, err
		}
	}
	// The database that the oracle has selected for its replicas is not known.
	if _, err := f.oracle.Run([][]string{{"PUBLISH", eventMark, ""}, {"CONFIG", "RESETSTAT"}}); err != nil {
		return nil, err
	}
	if _, err := ours.Run([][]string{{"CONFIG", "RESETSTAT"}}); err != nil {
		return nil, err
	}
	for {
		frame, err := readFrame(f.replica.r, nil)
		if err != nil {
			return nil, err
		}
		if isMark(frame) {
			break
		}
	}
	l := &listeners{heard: [2]chan hearing{make(chan hearing, 1), make(chan hearing, 1)}, differ: effectsDiffer}
	go func() {
		var h hearing
		var part []byte
		for len(h.items) < len(seq.items) && h.err == nil {
			var frame []byte
			if frame, h.err = readFrame(f.replica.r, nil); isMark(frame) {
				h.items, part = append(h.items, part), nil
				continue
			}
			part = append(part, frame...)
		}
		l.heard[0] <- h
	}()
	var h hearing
	if len(seq.items) == 0 {
		l.heard[1] <- h
	}
	var part []byte
	stream := &server.EffectStream{To: server.ToReplicas, Selected: 1}
	err := enginedoor.Of(ours.(*goPipe).e).Receive(server.ToReplicas, func(list []server.Effect, together bool) {
		part = stream.Append(part, list, together)
		if mark := resp.AppendCommand(nil, "PUBLISH", eventMark, ""); bytes.Contains(part, mark) {
			part = bytes.Replace(part, mark, nil, 1)
			if h.items, part = append(h.items, part), nil; len(h.items) == len(seq.items) {
				l.heard[1] <- h
			}
		}
	})
	return l, err
}

// effectsDiffer compares what was sent for an item. Both sides have clocks and random choices of
// their own.
func effectsDiffer(it *item, want, got []byte) bool {
	if bytes.Equal(want, got) {
		return false
	}
	a, err := sentCommands(want)
	b, err2 := sentCommands(got)
	if err != nil || err2 != nil || len(a) != len(b) {
		return true
	}
	if strings.HasPrefix(it.rows[0].name, "sort") || it.rows[0].Group == "scripting" {
		for _, list := range [][][]string{a, b} { // SORT finds expired keys in the order of a hash table
			slices.SortStableFunc(list, func(x, y []string) int {
				if x[0] != y[0] || x[0] != "DEL" && x[0] != "UNLINK" {
					return 0
				}
				return slices.Compare(x, y)
			})
		}
	}
	for i := range a {
		if len(a[i]) != len(b[i]) {
			return true
		}
		chance := a[i][0] == "SREM" && (it.rows[0].name == "spop" || it.rows[0].Group == "scripting")
		for j := range a[i] {
			if x, y := a[i][j], b[i][j]; x != y && !nearTimes(x, y) && !(chance && j > 1) {
				return true
			}
		}
	}
	return false
}

func sentCommands(b []byte) (cmds [][]string, err error) {
	for r := bufio.NewReader(bytes.NewReader(b)); ; {
		frame, err := readFrame(r, nil)
		if err == io.EOF {
			return cmds, nil
		} else if err != nil {
			return nil, err
		}
		n, _, err := parseFrame(frame)
		if err != nil {
			return nil, err
		}
		var args []string
		for _, k := range n.kids {
			args = append(args, k.text)
		}
		cmds = append(cmds, args)
	}
}

// nearTimes reports whether two arguments are times in ms, or stream IDs, that are near each other.
func nearTimes(x, y string) bool { return timesWithin(x, y, nearMillis) }

// timesWithin is nearTimes with a limit in ms.
func timesWithin(x, y string, limit int64) bool {
	x, a, _ := strings.Cut(x, "-")
	y, b, _ := strings.Cut(y, "-")
	n, err := strconv.ParseInt(x, 10, 64)
	m, err2 := strconv.ParseInt(y, 10, 64)
	return err == nil && err2 == nil && a == b && n > 1e12 && max(n, m)-min(n, m) <= limit
}

const (
	effectCount = 20_000  // commands of a run, unless REDMOON_COMMANDS says otherwise
	effectCover = 200_000 // a run of so many draws every command and option
)

// TestRandomEffects compares what random commands, scripts and transactions send to replicas, byte
// for byte, with what the oracle sends. REDMOON_SEED=n plays other commands, REDMOON_COMMANDS=n
// sets how many there are.
func TestRandomEffects(t *testing.T) {
	needsOracle(t)
	seed := tier.Seed()
	count := tier.Number("REDMOON_COMMANDS", 5000, effectCount)
	f, visible, dumps := startFuzzerOn(t, oracleOfItsOwn(t))
	defer func() {
		if f.replica != nil {
			f.replica.c.Close()
		}
	}()
	target := newFakeTarget(t)
	f.draws = effectDraw{libraries: libraryDump(t, f.oracle), target: target.l.Addr().String()}
	shown := findings{}
	for i := 0; f.played < count; i++ {
		fam := fuzzFamilies[i%len(fuzzFamilies)]
		st := style{groups: fam.groups, lex: fam.lex, effects: true, dead: true, length: 300}
		seq := makeSequence(f, seed*1_000_000+800_000+uint64(i), i, st, effectRows(rowsOf(visible, fam.groups)), dumps)
		fault, err := f.play(seq)
		require.NoError(t, err, "seed %d, sequence %d", seed, i)
		if fault == nil {
			continue
		}
		f.report(t, shown, fmt.Sprintf("seed %d, sequence %d", seed, i), seq, fault)
	}
	t.Logf("%d commands from seed %d", f.played, seed)
	rows := slices.Concat(effectRows(rowsOf(visible, allGroups)), effectCommands())
	if os.Getenv("REDMOON_COVERAGE") != "" {
		f.cover.print(os.Stdout, rows)
	}
	if count >= effectCover {
		require.Empty(t, f.cover.missing(rows), "never drawn")
	}
}
