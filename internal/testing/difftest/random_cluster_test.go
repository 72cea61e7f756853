package difftest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
)

// TestRandomClusterCommands is TestRandomCommands in cluster mode, with keys of several slots:
// every reply, the keyspace that is left, and the keys of each slot in their order.
func TestRandomClusterCommands(t *testing.T) {
	needsOracle(t)
	seed := tier.Seed()
	count := tier.Number("REDMOON_COMMANDS", 10_000, 40_000)
	f, err := newClusterFuzzer()
	require.NoError(t, err)
	defer f.oracle.Close()
	visible := visibleCommands(t)
	f.dumps = true
	dumps := f.harvest(t, visible)
	shown := findings{}
	for i := 0; f.played < count; i++ {
		st := style{groups: allGroups, cluster: true}
		seq := makeSequence(f, seed*1_000_000+uint64(i), i, st, rowsOf(visible, allGroups), dumps)
		fault, err := f.play(seq)
		require.NoError(t, err, "seed %d, sequence %d", seed, i)
		if fault != nil {
			f.report(t, shown, fmt.Sprintf("seed %d, sequence %d", seed, i), seq, fault)
		}
	}
}

// TestRandomClusterScripts runs scripts and functions, alone and in transactions, that call
// commands with keys of several slots and declare others.
func TestRandomClusterScripts(t *testing.T) {
	needsOracle(t)
	seed := tier.Seed()
	rng := rand.New(rand.NewPCG(seed, 11))
	f := &File{Path: "random", Doors: []Door{DoorRESP, DoorGo}, Cluster: true}
	add := func(line int, args ...string) { f.Steps = append(f.Steps, Step{Line: line, Args: args}) }
	add(0, "FUNCTION", "FLUSH")
	add(0, "FUNCTION", "LOAD", clusterLibrary)
	for line := 1; line <= tier.Number("REDMOON_PROGRAMS", 1000, 3000); line++ {
		if rng.IntN(3) > 0 {
			add(line, clusterCall(rng)...)
			continue
		}
		add(line, "MULTI")
		for range 1 + rng.IntN(4) {
			add(line, clusterCall(rng)...)
		}
		add(line, "EXEC")
	}
	add(1<<30, "FUNCTION", "FLUSH")
	playRandom(t, f)
}

// clusterBody runs the commands in ARGV, each a line of words, and returns their replies.
const clusterBody = `
local r = {}
for _, line in ipairs(ARGV) do
	local args = {}
	for word in string.gmatch(line, '%S+') do args[#args + 1] = word end
	local v = redis.pcall(unpack(args))
	if type(v) == 'table' and v.err then v = v.err elseif type(v) == 'table' and v.ok then v = v.ok end
	r[#r + 1] = v or 'nothing'
end
return r`

var clusterLibrary = func() string {
	lib := "#!lua name=cluster\nlocal function run(KEYS, ARGV)" + clusterBody + "\nend\n"
	for i, flags := range clusterFlags {
		quoted := ""
		for _, flag := range strings.FieldsFunc(flags, func(r rune) bool { return r == ',' }) {
			quoted += "'" + flag + "',"
		}
		lib += fmt.Sprintf("redis.register_function{function_name='f%d', callback=run, flags={%s}}\n", i, quoted)
	}
	return lib
}()

var clusterFlags = []string{"", "allow-cross-slot-keys", "no-cluster", "no-writes", "no-writes,allow-cross-slot-keys"}

// clusterCall makes a command that runs a script or function, or a plain one.
func clusterCall(rng *rand.Rand) []string {
	key := func() string {
		return pick(rng, []string{"a", "{a}1", "{a}2", "b", "{b}1", "c", "{a", "a}", "{}a", ""})
	}
	command := func() string {
		k, k2 := pick(rng, []string{"a", "{a}1", "b", "c"}), pick(rng, []string{"a", "{a}2", "{a}3", "b"})
		return pick(rng, []string{"set " + k + " 1", "get " + k, "get " + k, "del " + k + " " + k2, "mget " + k + " " + k2, "mset " + k + " 1 " +
			k2 + " 2",
			"rename " + k + " " + k2, "exists " + k2, "ping", "dbsize", "spublish " + k + " x", "publish " + k + " x", "select 0", "select 1",
			"object freq " + k, "sort " + k + " get x", "eval return 0", "nosuch " + k, "mget", "cluster keyslot " + k, "copy " + k + " " + k2 +
				" db 1"})
	}
	if rng.IntN(6) == 0 {
		return strings.Fields(command())
	}
	flags := rng.IntN(len(clusterFlags))
	var call []string
	switch rng.IntN(5) {
	case 0:
		call = []string{pick(rng, []string{"FCALL", "FCALL", "FCALL_RO"}), "f" + strconv.Itoa(flags)}
	case 1, 2:
		call = []string{pick(rng, []string{"EVAL", "EVAL", "EVAL_RO"}), clusterBody}
	default:
		call = []string{pick(rng, []string{"EVAL", "EVAL", "EVAL_RO"}), "#!lua flags=" + clusterFlags[flags] + "\n" + clusterBody}
	}
	n := pick(rng, []int{0, 0, 1, 1, 1, 2, 3})
	call = append(call, strconv.Itoa(n))
	for range n {
		call = append(call, key())
	}
	for range 1 + rng.IntN(4) {
		call = append(call, command())
	}
	return call
}

// TestSlotsOfRandomKeys compares engine.Slot with CLUSTER KEYSLOT.
func TestSlotsOfRandomKeys(t *testing.T) {
	needsOracle(t)
	o, err := theRunner.Cluster()
	require.NoError(t, err)
	p, err := newNetPipe(o.Addr)
	require.NoError(t, err)
	defer p.Close()
	rng := rand.New(rand.NewPCG(tier.Seed(), 12))
	cmds := make([][]string, 20000)
	for i := range cmds {
		key := make([]byte, rng.IntN(12))
		for j := range key {
			key[j] = pick(rng, []byte{'{', '}', 'a', 'b', byte(rng.IntN(256))})
		}
		cmds[i] = []string{"CLUSTER", "KEYSLOT", string(key)}
	}
	replies, err := p.Run(cmds)
	require.NoError(t, err)
	for i, raw := range replies {
		require.Equal(t, string(raw), fmt.Sprintf(":%d\r\n", engine.Slot(cmds[i][2])), "%q", cmds[i][2])
	}
}

// TestClusterFlagsOfClients compares the flags that CLIENT INFO shows behind READONLY and ASKING.
func TestClusterFlagsOfClients(t *testing.T) {
	needsOracle(t)
	o, err := theRunner.Cluster()
	require.NoError(t, err)
	rm, err := newRedmoonWith(engine.Options{Cluster: true}, Present())
	require.NoError(t, err)
	defer rm.Stop()
	theirs, err := o.Open()
	require.NoError(t, err)
	defer theirs.Close()
	ours, err := rm.Open()
	require.NoError(t, err)
	defer ours.Close()
	flags := func(c Conn) string {
		_, rest, _ := strings.Cut(ask(t, c, "CLIENT", "INFO").text, " flags=")
		return strings.Fields(rest)[0]
	}
	for _, line := range []string{"READONLY", "CLIENT NO-EVICT ON", "ASKING", "READWRITE", "READONLY", "RESET", "READONLY", "HELLO 3"} {
		for _, c := range []Conn{theirs, ours} {
			ask(t, c, strings.Fields(line)...)
		}
		require.Equal(t, flags(theirs), flags(ours), line)
	}
	mode := func(c Conn) []node { return ask(t, c, "HELLO").kids[8:10] }
	require.Equal(t, mode(theirs), mode(ours))
	require.Equal(t, "cluster", mode(ours)[1].text)
	for _, c := range []Conn{theirs, ours} {
		require.Contains(t, ask(t, c, "INFO", "server").text, "\r\nredis_mode:cluster\r\n")
	}
}
