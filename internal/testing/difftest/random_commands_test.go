package difftest

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/stretchr/testify/require"
)

// allGroups are the groups of commands on data.
var allGroups = append(slices.Clone(groupNames), "generic")

// fuzzFamilies are the kinds of sequences, with their groups of commands.
var fuzzFamilies = []struct {
	name   string
	groups []string
	lex    bool
	weight int // part of all commands
}{
	{"mixed", allGroups, false, 10},
	{"string", []string{"string", "bitmap", "hyperloglog", "generic"}, false, 3},
	{"hash", []string{"hash", "generic"}, false, 2},
	{"list", []string{"list", "generic"}, false, 3},
	{"set", []string{"set", "generic"}, false, 2},
	{"zset", []string{"sorted-set", "set", "generic"}, false, 4},
	{"lex", []string{"sorted-set"}, true, 2},
	{"stream", []string{"stream", "generic"}, false, 4},
	{"bitmap", []string{"bitmap"}, false, 1},
	{"hyperloglog", []string{"hyperloglog"}, false, 1},
	{"geo", []string{"geo"}, false, 2},
}

const (
	fuzzSequence = 2000 // items in a sequence
	fuzzLong     = 200000
	maxFuzzFinds = 12 // differences shown of one family
)

// TestRandomCommands plays random commands against the live oracle and compares every reply, and
// the keyspace that is left after each sequence. REDMOON_SEED=n plays others, REDMOON_COMMANDS=n
// sets how many there are, REDMOON_COVERAGE=1 prints how often each was drawn. A difference is cut
// down to the shortest sequence that shows it, printed as a case file.
func TestRandomCommands(t *testing.T) {
	needsOracle(t)
	f, visible, dumps := startFuzzer(t)
	randomCommands(t, f, visible, dumps, tier.Number("REDMOON_COMMANDS", 50_000, fuzzLong))
}

// randomCommands plays count commands of all families.
func randomCommands(t *testing.T, f *fuzzer, visible commandSet, dumps []string, count int) {
	seed := tier.Seed()
	sum, ran := 0, 0
	for _, fam := range fuzzFamilies {
		require.NotEmpty(t, rowsOf(visible, fam.groups[:1]), fam.name)
		sum += fam.weight
	}
	for n, fam := range fuzzFamilies {
		t.Run(fam.name, func(t *testing.T) {
			ran++
			groups := slices.DeleteFunc(slices.Clone(fam.groups), func(g string) bool { return len(rowsOf(visible, []string{g})) == 0 })
			rows := rowsOf(visible, groups)
			shown := findings{}
			end := f.played + count*fam.weight/sum
			for i := 0; f.played < end; i++ {
				seq := makeSequence(f, seed*1_000_000+uint64(n)*10_000+uint64(i), i, style{groups: groups, lex: fam.lex}, rows, dumps)
				fault, err := f.play(seq)
				if err != nil && f.revive != nil {
					t.Errorf("seed %d, sequence %d: %v", seed, i, err)
					err = f.revive()
				}
				require.NoError(t, err, "seed %d, sequence %d", seed, i)
				if fault != nil {
					f.report(t, shown, fmt.Sprintf("seed %d, sequence %d", seed, i), seq, fault)
				}
			}
		})
	}
	t.Logf("%d commands from seed %d", f.played, seed)
	if ran < len(fuzzFamilies) {
		return // -run left some out
	}
	rows := rowsOf(visible, allGroups)
	if os.Getenv("REDMOON_COVERAGE") != "" {
		f.cover.print(os.Stdout, rows)
	}
	require.Empty(t, f.cover.missing(rows), "never drawn")
}

// startFuzzer starts a fuzzer for the length of the test. It returns the visible commands and
// payloads of DUMP too.
func startFuzzer(t *testing.T) (f *fuzzer, visible commandSet, dumps []string) {
	f, visible, dumps = startFuzzerOn(t, theRunner.Oracle)
	t.Cleanup(func() { require.NoError(t, theRunner.Oracle.Reset()) })
	return f, visible, dumps
}

// startFuzzerOn is startFuzzer for a server of its own.
func startFuzzerOn(t *testing.T, o *Oracle) (f *fuzzer, visible commandSet, dumps []string) {
	return startFuzzerOf(t, servers.Redis70, o)
}

// startFuzzerOf is startFuzzerOn for a server of another version, and engines that follow it.
func startFuzzerOf(t *testing.T, s servers.Server, o *Oracle) (f *fuzzer, visible commandSet, dumps []string) {
	p, err := newNetPipe(o.Addr)
	require.NoError(t, err)
	p.renamed = o.renamed
	f = &fuzzer{oracle: p, cover: coverage{}, server: s, options: engine.Options{Server: s.String()}}
	t.Cleanup(func() { f.oracle.Close() })
	visible = visibleCommandsOf(t, s)
	f.dumps = visible.names["dump"]
	return f, visible, f.harvest(t, visible)
}

// findings are the differences that a test has shown: one for each command is enough.
type findings map[string]bool

// key is the beginning of a difference's text, in which the command stands.
func (findings) key(fault *seqFault) string { return clip(strings.ToLower(fault.text), 24) }

func (s findings) has(fault *seqFault) bool { return s[s.key(fault)] }

// report cuts a sequence down to the shortest one that shows its fault and fails the test with it
// as a case file, unless a similar fault has been shown. where names the sequence.
func (f *fuzzer) report(t *testing.T, shown findings, where string, seq *sequence, fault *seqFault) {
	t.Helper()
	if shown.has(fault) {
		return
	}
	// On a busy machine the oracle may be so slow that a key has expired before its time is set. Any
	// other difference shows again.
	played := f.played
	for range 5 * seq.shortTimes() {
		again, err := f.play(seq)
		require.NoError(t, err, where)
		if again == nil {
			t.Logf("%s: a difference that did not show again: %.300s", where, fault.text)
			f.played = played
			f.late++
			require.Less(t, f.late, 3+f.made/20, "the oracle is too slow to set short times to live")
			return
		}
	}
	shown[shown.key(fault)] = true
	small, fault, err := f.shrink(seq, fault)
	f.played = played
	require.NoError(t, err, "while shrinking; %s:\n%s", where, small.text())
	t.Errorf("%s: %s\n\nas a case file:\n%s", where, fault.text, small.text())
	if len(shown) == maxFuzzFinds {
		t.Fatal("too many differences")
	}
}

var millis = regexp.MustCompile(`(?i)\b(px|psetex|h?pexpire)\b`)

// shortTimes is 1 if a sequence sets times to live in milliseconds, else 0.
func (s *sequence) shortTimes() int { return min(1, len(millis.FindString(s.text()))) }

func makeSequence(f *fuzzer, seed uint64, i int, st style, rows []*row, dumps []string) *sequence {
	st.proto, st.limits = 2+i%2, []int{0, 1, 0, 2, 1, 3, 0}[i/2%7]
	g := newGenerator(seed, st, rows)
	g.cover, g.dumps, g.draws, g.server = f.cover, dumps, f.draws, f.server
	seq := &sequence{server: f.server, style: st, served: i%5 == 4}
	f.made++
	for line := range cmp.Or(st.length, fuzzSequence) {
		seq.items = append(seq.items, g.item(line))
	}
	return seq
}

// commandSet are the commands and subcommands of a server that clients know, by the names of
// COMMAND INFO.
type commandSet struct {
	server servers.Server
	names  map[string]bool
}

// visibleCommands are the commands of Redis 7.0.
func visibleCommands(t *testing.T) commandSet { return visibleCommandsOf(t, servers.Redis70) }

// visibleCommandsOf are the commands of an engine that follows a server.
func visibleCommandsOf(t *testing.T, s servers.Server) commandSet {
	rm, err := newRedmoonOf(s.String(), Present())
	require.NoError(t, err)
	defer func() { require.NoError(t, rm.Stop()) }()
	v, err := rm.Engine.Do(context.Background(), "COMMAND")
	require.NoError(t, err)
	visible := map[string]bool{}
	for _, c := range v.Slice() {
		info := c.Slice()
		visible[info[0].Text()] = true
		if len(info) > 9 {
			for _, sub := range info[9].Slice() {
				visible[sub.Slice()[0].Text()] = true
			}
		}
	}
	return commandSet{s, visible}
}

// harvest makes values of all types and encodings on the oracle, by commands that Redmoon knows,
// and returns their payloads.
func (f *fuzzer) harvest(t *testing.T, visible commandSet) []string {
	if !f.dumps {
		return nil
	}
	var maker pipe = f.oracle
	if f.server == servers.Redis72 { // its oracle writes a later version
		ours, stop, err := newRedmoonPipe(f.options, Present(), false)
		require.NoError(t, err)
		defer func() { ours.Close(); require.NoError(t, stop()) }()
		maker = ours
	}
	_, err := maker.Run(style{proto: 2}.setup(f.server))
	require.NoError(t, err)
	var dumps []string
	for _, line := range strings.Split(strings.TrimSpace(harvested), "\n") {
		args := strings.Fields(line)
		if !visible.names[strings.ToLower(args[0])] {
			continue
		}
		if strings.HasSuffix(line, "...") {
			args = args[:len(args)-1]
			for i := range 600 {
				args = append(args, fmt.Sprint(i), fmt.Sprint(i*i))
			}
		}
		key := args[1]
		if args[0] == "XGROUP" || args[0] == "XREADGROUP" {
			key = "stream"
		}
		raw, err := maker.Run([][]string{args, {"DUMP", key}})
		require.NoError(t, err)
		require.NotEqual(t, byte('-'), raw[0][0], line)
		n, _, err := parseFrame(raw[1])
		require.NoError(t, err)
		dumps = append(dumps, n.text)
	}
	return dumps
}

// harvested are the commands after each of which DUMP takes a payload.
const harvested = `
SET s text
SET i 12345
SET neg -70000
SET big 12345678901234567890
SET long aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
RPUSH l a b 1 2 -500000
RPUSH ll ...
SADD is 1 2 3
SADD is 70000 -70000
SADD is 5000000000
SADD ss a b c
SADD ss ...
HSET h a 1 b 2
HSET hh ...
ZADD z 1 a 2.5 b -inf c
ZADD zz ...
XADD stream 1-1 a b c d
XADD stream 2-1 a b c e
XGROUP CREATE stream g1 0
XREADGROUP GROUP g1 alice STREAMS stream >
PFADD p a b c
SETBIT b 1000 1
GEOADD g 13.361389 38.115556 a 15.087269 37.502669 b
`
