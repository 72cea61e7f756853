package difftest

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/testing/difftest/luagen"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/luabridge"
	"github.com/redmoon-lua/redmoon/resp"
)

// TestRandomLua runs random programs, and random broken ones, on the oracle and on Redmoon, and
// compares the raw replies. REDMOON_SEED=n chooses other programs, REDMOON_PROGRAMS=n how many of
// each kind. A program that shows a difference is cut down and printed as a case; of those with
// similar answers one stands for all. With REDMOON_FOUND=folder each is written to a file there as
// well.
func TestRandomLua(t *testing.T) {
	needsOracle(t)
	seed, count := luagen.Settings(150, 300)
	randomLua(t, servers.Redis70, seed, count)
}

// randomLua runs count programs of each kind.
func randomLua(t *testing.T, s servers.Server, seed uint64, count int) {
	kinds := map[string]func(rng *rand.Rand) string{"programs": validProgram, "broken": brokenProgram, "long": longProgram}
	for name, make := range kinds {
		t.Run(name, func(t *testing.T) {
			count := count
			if name == "long" {
				count = (count + 3) / 4
			}
			p := newLuaPair(t, s)
			rng := rand.New(rand.NewPCG(seed, 11))
			seen := map[string]bool{}
			for done := 0; done < count; {
				n := min(50, count-done)
				done += n
				var sources []string
				for range n {
					sources = append(sources, make(rng))
				}
				p.compare(t, sources, seen)
			}
			t.Logf("%d programs, %d differ, in %d ways", count, p.differing, len(seen))
		})
	}
}

// validProgram makes mostly short programs.
func validProgram(rng *rand.Rand) string {
	size := 1 + rng.IntN(8)
	if rng.IntN(10) == 0 {
		size = 10 + rng.IntN(30)
	}
	return luagen.Program(rng, size)
}

// longProgram makes programs that are compiled like long texts.
func longProgram(rng *rand.Rand) string {
	return validProgram(rng) + strings.Repeat(" ", luabridge.LongText)
}

func brokenProgram(rng *rand.Rand) string {
	return luagen.Break(rng, luagen.Program(rng, 1+rng.IntN(6)))
}

// luaPair is an oracle of our own, which a program may kill, beside Redmoon.
type luaPair struct {
	server    servers.Server
	oracle    *Oracle
	redmoon   *redmoonServer
	conns     [2]rawConn // of the oracle, of Redmoon
	killed    bool       // the oracle had to end a program of the last batch
	differing int
}

func newLuaPair(t *testing.T, s servers.Server) *luaPair {
	p := &luaPair{server: s}
	t.Cleanup(func() { p.stop(0); p.stop(1) })
	require.NoError(t, p.start(0))
	require.NoError(t, p.start(1))
	return p
}

// start starts the oracle (0) or Redmoon (1).
func (p *luaPair) start(side int) error {
	var peer Peer
	var err error
	if side == 0 {
		p.oracle, err = StartOracleOf(p.server)
		peer = p.oracle
	} else {
		p.redmoon, err = newRedmoonServer(p.server.String(), Present())
		peer = p.redmoon
	}
	if err != nil {
		return err
	}
	c, err := peer.Open()
	if err != nil {
		return err
	}
	p.conns[side] = c.(rawConn)
	if side == 0 {
		_, err = p.oracle.admin.Do([]string{"CONFIG", "SET", "busy-reply-threshold", strconv.Itoa(busyAfter)})
	}
	return err
}

func (p *luaPair) stop(side int) {
	if p.conns[side] != nil {
		p.conns[side].Close()
		p.conns[side] = nil
	}
	if side == 0 && p.oracle != nil {
		p.oracle.Stop()
		p.oracle = nil
	}
	if side == 1 && p.redmoon != nil {
		_ = p.redmoon.stop() // it may have failed itself
		p.redmoon = nil
	}
}

var errDied = errors.New("no answer")

// busyAfter is how long a program may run on the oracle, in milliseconds.
const busyAfter = 100

// ask runs programs on one side, each on an empty keyspace. Those that do not end are killed on the
// oracle: see [killed].
func (p *luaPair) ask(side int, sources []string) ([][]byte, error) {
	c := p.conns[side]
	var raw []byte
	for _, s := range sources {
		raw = resp.AppendCommand(raw, "FLUSHALL")
		raw = resp.AppendCommand(raw, "EVAL", s, "2", "k1", "k2", "a1", "a2")
	}
	p.killed = false
	if side == 0 {
		stop := p.killBusy()
		defer func() { p.killed = stop() }()
	}
	sent := make(chan error, 1)
	go func() { sent <- c.Send(string(raw)) }() // its answers may fill the pipe before everything is sent
	tooLong := patience.Limit
	if side == 0 { // what cannot be killed there is left out
		tooLong = 3 * time.Second
	}
	defer time.AfterFunc(tooLong, c.Close).Stop()
	var replies [][]byte
	for i := range 2 * len(sources) {
		reply, err := c.Read()
		if err == nil && string(reply) == Closed {
			err = errDied
		}
		if err != nil {
			c.Close()
			<-sent
			return nil, err
		}
		if i%2 == 1 {
			replies = append(replies, reply)
		}
	}
	return replies, <-sent
}

// killBusy kills programs that run for too long on the oracle, until stop is called, which reports
// whether there were any.
func (p *luaPair) killBusy() (stop func() bool) {
	killed := false
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(2 * busyAfter * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				reply, err := p.oracle.admin.Do([]string{"SCRIPT", "KILL"})
				if err != nil {
					return // the oracle has died: the reader of its answers notices
				}
				killed = killed || string(reply) == "+OK\r\n"
			}
		}
	}()
	return func() bool { close(done); <-stopped; return killed }
}

// killed reports whether a reply says that the program did not end.
func killed(reply []byte) bool {
	return bytes.Contains(reply, []byte("Script killed by user with SCRIPT KILL"))
}

// answers runs programs on the oracle and, those that end there, on Redmoon; of the others both
// replies are nil.
func (p *luaPair) answers(t *testing.T, sources []string) (oracle, redmoon [][]byte, ok bool) {
	oracle, err := p.ask(0, sources)
	if err != nil {
		p.stop(0)
		require.NoError(t, p.start(0))
		if len(sources) == 1 {
			t.Logf("the oracle: %v, after\n%s", err, sources[0])
		}
		return nil, nil, false
	}
	if p.killed { // the killed program may have caught the error and ended normally, but would not end here
		if len(sources) > 1 {
			return nil, nil, false
		}
		oracle[0] = nil
	}
	var ending []string
	for i := range oracle {
		if oracle[i] == nil {
			continue
		}
		if killed(oracle[i]) {
			oracle[i] = nil
			continue
		}
		ending = append(ending, sources[i])
	}
	replies, err := p.ask(1, ending)
	if err != nil {
		p.conns[1], p.redmoon = nil, nil // it may be in an endless loop: nobody can wait for it
		require.NoError(t, p.start(1))
		if len(sources) == 1 {
			t.Errorf("redmoon: %v, after\n%s", err, sources[0])
		}
		return nil, nil, false
	}
	redmoon = make([][]byte, len(sources))
	for i := range oracle {
		if oracle[i] != nil {
			redmoon[i], replies = replies[0], replies[1:]
		}
	}
	return oracle, redmoon, true
}

// compare runs a batch on both sides and reports what differs.
func (p *luaPair) compare(t *testing.T, sources []string, seen map[string]bool) {
	oracle, redmoon, ok := p.answers(t, sources)
	if !ok {
		if len(sources) > 1 { // one of them caused it
			for i := range sources {
				p.compare(t, sources[i:i+1], seen)
			}
		}
		return
	}
	for i, source := range sources {
		if oracle[i] == nil || bytes.Equal(oracle[i], redmoon[i]) || p.excuses(oracle[i]) {
			continue
		}
		p.differing++
		if key := likeness(oracle[i], redmoon[i]); !seen[key] {
			seen[key] = true
			p.report(t, source, oracle[i], redmoon[i], seen)
		}
	}
}

// report cuts a program down, given its answers, and reports it, unless a similar one was reported.
// If the oracle refuses to compile it, the reduced program is one that it refuses too.
func (p *luaPair) report(t *testing.T, source string, oracle, redmoon []byte, seen map[string]bool) {
	syntax := isSyntaxError(oracle)
	fails := func(source string) bool {
		a, b, ok := p.answers(t, []string{source})
		return ok && !bytes.Equal(a[0], b[0]) && !p.excuses(a[0]) && isSyntaxError(a[0]) == syntax
	}
	if !fails(source) { // an answer that depends on what ran before
		t.Errorf("differs once, not when it runs again:\noracle  %q\nredmoon %q\n%s", oracle, redmoon, source)
		return
	}
	small := luagen.Shrink(source, fails)
	a, b, ok := p.answers(t, []string{small})
	require.True(t, ok)
	key := likeness(a[0], b[0]) + " small"
	if seen[key] {
		return
	}
	seen[key] = true
	text := fmt.Sprintf("oracle  %q\nredmoon %q", a[0], b[0])
	t.Errorf("%s\n\nas a case:\n%s", text, luaCase(small))
	if dir := os.Getenv("REDMOON_FOUND"); dir != "" {
		file := filepath.Join(dir, fmt.Sprintf("%s-%03d.lua", strings.ToLower(filepath.Base(t.Name())), len(seen)))
		require.NoError(t, os.WriteFile(file, []byte("-- "+strings.ReplaceAll(text, "\n", "\n-- ")+"\n"+small+"\n"), 0o666))
	}
}

// address is in texts that are never the same twice.
var address = regexp.MustCompile(`(function|table|thread|userdata): 0x`)

// excuses reports whether a reply of the oracle may differ: it has an address, or it shows that the
// oracle is not quite the server it stands for. Programs measure the texts of Redict, which are
// longer than those of Redis 7.2, and Debian builds Valkey 8.0 with a Lua that refuses [[ in [[.
func (p *luaPair) excuses(reply []byte) bool {
	switch {
	case p.server == servers.Redis72 && bytes.Contains(reply, []byte("edis")):
		return true
	case p.server == servers.Valkey80 && bytes.Contains(reply, []byte("nesting of [[...]] is deprecated")):
		return true
	}
	return address.Match(reply)
}

func isSyntaxError(reply []byte) bool {
	return bytes.HasPrefix(reply, []byte("-ERR Error compiling script"))
}

var (
	anyDigest = regexp.MustCompile(`[0-9a-f]{40}`)
	anyQuoted = regexp.MustCompile(`'[^']*'`)
	anyNumber = regexp.MustCompile(`[0-9][0-9.e+]*`)
)

// likeness is the same for pairs of answers that differ in the same way: the text around the first
// differing byte, without names and numbers.
func likeness(a, b []byte) string {
	a, b = anyDigest.ReplaceAll(a, nil), anyDigest.ReplaceAll(b, nil)
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	key := ""
	for _, s := range [][]byte{a, b} {
		part := string(s[min(max(i-12, 0), len(s)):min(i+30, len(s))])
		for _, r := range []*regexp.Regexp{anyQuoted, anyNumber} {
			part = r.ReplaceAllString(part, "#")
		}
		key += part + "\x00"
	}
	return key
}

// luaCase writes a program as a command of a case file.
func luaCase(source string) string {
	plain := !strings.ContainsFunc(source, func(r rune) bool { return r != '\n' && (r < ' ' || r > '~') })
	if plain && strings.Contains(source, "\n") {
		return "EVAL <<LUA 2 k1 k2 a1 a2\n" + source + "\nLUA\n"
	}
	return "EVAL " + quoteWord(source) + " 2 k1 k2 a1 a2\n"
}

func TestShrinkKeepsWhatFails(t *testing.T) {
	src := "local a = 1\nfor i = 1,3 do\n  if a then f({1,2,bad(a)}, 'x') end\nend\nreturn a\n"
	small := luagen.Shrink(src, func(s string) bool { return strings.Contains(s, "bad") })
	assert.Equal(t, "bad", small)
}
