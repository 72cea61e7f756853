package difftest

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// effectDraw draws items that only the comparison of effects has: scripts of several commands,
// functions, messages and settings that decide about effects.
type effectDraw struct {
	next      []*item // come before others
	libraries string  // a payload of FUNCTION DUMP
	target    string  // address of a server that MIGRATE sends keys to
}

// effectRows are the commands whose effects do not depend on chance.
func effectRows(rows []*row) []*row { return deadRows(rows) }

// plainRow is the row of a command that is not made from its syntax. name may be that of a
// subcommand.
func plainRow(name string) *row {
	spec := cmdrows.TableOf(servers.Redis70).Lookup(strings.Split(name, "|")[0])
	if len(spec.Subs) > 0 {
		i := slices.IndexFunc(spec.Subs, func(s *cmdtable.Spec) bool { return s.FullName() == name })
		spec = spec.Subs[i]
	}
	return &row{Spec: spec, name: name, visible: true}
}

// single makes an item of one command that is not made from its syntax.
func (g *generator) single(line int, name string, args ...string) *item {
	g.cover.draw(name)
	it := &item{door: wrapNone, steps: []Step{{Line: line, Args: args}}, rows: []*row{plainRow(name)}}
	if g.rng.IntN(4) == 0 {
		it.door = wrapExec
	}
	if g.rng.IntN(20) == 0 {
		it.db = 1
	}
	return it
}

// token draws an option or none, and counts it.
func (g *generator) token(name string, from ...string) []string {
	i := g.rng.IntN(len(from) + 1)
	if i == len(from) {
		return nil
	}
	g.cover.token(name, from[i])
	return []string{from[i]}
}

// effectItem draws such an item.
func (g *generator) effectItem(line int) *item {
	if len(g.draws.next) > 0 {
		it := g.draws.next[0]
		g.draws.next = g.draws.next[1:]
		return it
	}
	channel := pick(g.rng, []string{"news", "", "\x00"})
	library := pick(g.rng, []string{"lib1", "lib2", "lib3"})
	switch g.rng.IntN(24) {
	case 0:
		return g.single(line, "publish", "PUBLISH", channel, g.text())
	case 1:
		return g.single(line, "spublish", "spublish", channel, g.text())
	case 2:
		return g.single(line, "function|delete", "FUNCTION", "DELETE", library)
	case 3:
		return g.single(line, "function|flush", words("FUNCTION", "FLUSH", g.token("function|flush", "ASYNC", "SYNC"))...)
	case 4:
		return g.single(line, "function|restore", words("FUNCTION", "RESTORE", g.draws.libraries,
			g.token("function|restore", "FLUSH", "APPEND", "REPLACE"))...)
	case 5:
		return g.single(line, "script|flush", words("SCRIPT", "FLUSH", g.token("script|flush", "ASYNC", "SYNC"))...)
	case 6:
		option := pick(g.rng, []string{"expire", "server-del", "user-del", "user-flush", "eviction"})
		name := "lazyfree-lazy-" + option
		return g.single(line, "config|set", "CONFIG", "SET", name, pick(g.rng, []string{"yes", "no"}))
	case 7:
		return g.single(line, "client|no-evict", "CLIENT", "NO-EVICT", pick(g.rng, []string{"ON", "OFF"}))
	case 8, 9:
		return g.migration(line)
	case 10, 11, 12:
		return g.function(line, library)
	case 13, 14, 15:
		body := g.body(line, "evalsha")
		g.draws.next = append(g.draws.next, g.single(line, "evalsha", "EVALSHA", sha(body), "1", "string", "arg"))
		return g.single(line, "script|load", "SCRIPT", "LOAD", body)
	}
	return g.single(line, "eval", "EVAL", g.body(line, "eval"), "1", "string", "arg")
}

func sha(body string) string {
	sum := sha1.Sum([]byte(body))
	return hex.EncodeToString(sum[:])
}

// migration makes a MIGRATE to a server that accepts everything.
func (g *generator) migration(line int) *item {
	g.row = plainRow("migrate")
	host, port, _ := net.SplitHostPort(g.draws.target)
	args := []string{"MIGRATE", host, port, "", strconv.Itoa(g.rng.IntN(2)), "5000"}
	args = append(args, g.token("migrate", "COPY")...)
	args = append(args, g.token("migrate", "REPLACE")...)
	if g.rng.IntN(2) == 0 {
		args[3] = g.key(cmdtable.Arg{})
		return g.single(line, "migrate", args...)
	}
	g.cover.token("migrate", "KEYS")
	args = append(args, "KEYS")
	for range 1 + g.rng.IntN(4) {
		args = append(args, g.key(cmdtable.Arg{}))
	}
	return g.single(line, "migrate", args...)
}

// function makes a FUNCTION LOAD, and then calls of the library's function.
func (g *generator) function(line int, library string) *item {
	called := library + "_f"
	flags := ""
	if g.rng.IntN(4) == 0 {
		flags = ", flags={'no-writes'}"
	}
	code := "#!lua name=" + library + "\nredis.register_function{function_name='" + called + "', callback=function(KEYS, ARGV) " +
		g.body(line, "fcall") + " end" + flags + "}"
	for range 1 + g.rng.IntN(2) {
		name := pick(g.rng, []string{"fcall", "fcall", "fcall", "fcall_ro"})
		g.draws.next = append(g.draws.next, g.single(line, name, name, called, "1", "string", "arg"))
	}
	return g.single(line, "function|load", words("FUNCTION", "LOAD", g.token("function|load", "REPLACE"), code)...)
}

// body makes the text of a script or of a function. It replies with nothing: what commands reply
// to scripts is compared elsewhere.
func (g *generator) body(line int, door string) string {
	var b strings.Builder
	for range 1 + g.rng.IntN(6) {
		switch g.rng.IntN(12) {
		case 0:
			fmt.Fprintf(&b, "redis.set_repl(redis.REPL_%s) ", pick(g.rng, []string{"ALL", "ALL", "AOF", "SLAVE", "REPLICA", "NONE"}))
		case 1:
			fmt.Fprintf(&b, "redis.call('select', '%d') ", g.rng.IntN(3))
		case 2:
			b.WriteString("redis.call('publish', 'news', ARGV[1]) ")
		case 3:
			if door != "fcall" {
				b.WriteString("redis.replicate_commands() ")
			}
		}
		g.within(&b, line, door)
	}
	if g.rng.IntN(8) == 0 {
		b.WriteString(pick(g.rng, []string{"error('end')", "return redis.error_reply('ERR end')", "redis.call('nosuch')", "return x.y"}))
	}
	return b.String()
}

// within adds a command of the syntax to a script.
func (g *generator) within(b *strings.Builder, line int, door string) {
	for {
		step := g.step(line)
		if g.row.Flags&cmdtable.NoScript != 0 || g.row.waits || g.row.timed() && compares(step.Args) {
			continue
		}
		g.cover.draw(g.row.name)
		g.cover.by(g.row.name, door)
		b.WriteString(luaCall(pick(g.rng, []string{"redis.call", "redis.pcall", "redis.pcall"}), step.Args) + " ")
		if byChance(g.row.name, step.Args) && len(step.Args) > 1 {
			b.WriteString(luaCall("redis.pcall", []string{"DEL", step.Args[1]}) + " ")
		}
		return
	}
}

// compares reports whether a command compares times. If it runs twice, the oracle's clock decides.
func compares(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool { return strings.EqualFold(a, "GT") || strings.EqualFold(a, "LT") })
}

// luaCall is the call of a Lua function with strings.
func luaCall(name string, args []string) string {
	var b strings.Builder
	b.WriteString(name + "(")
	for i, a := range args {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteByte('\'')
		for _, c := range []byte(a) {
			if c >= ' ' && c <= '~' && c != '\'' && c != '\\' {
				b.WriteByte(c)
			} else {
				fmt.Fprintf(&b, `\%03d`, c)
			}
		}
		b.WriteByte('\'')
	}
	b.WriteByte(')')
	return b.String()
}

// effectCommands are the commands that effectItem draws.
func effectCommands() (rows []*row) {
	for _, name := range []string{"eval", "evalsha", "fcall", "fcall_ro", "publish", "spublish", "migrate", "script|load", "script|flush",
		"function|load", "function|delete", "function|flush", "function|restore", "config|set", "client|no-evict"} {
		rows = append(rows, plainRow(name))
	}
	for _, r := range rows {
		switch r.name { // options that effectItem draws
		case "migrate":
			r.syntax = []cmdtable.Arg{{Token: "COPY"}, {Token: "REPLACE"}, {Token: "KEYS"}}
		case "script|flush", "function|flush", "function|load", "function|restore":
			r.syntax = r.Arguments()
		}
	}
	return rows
}

// libraryDump makes a payload for FUNCTION RESTORE.
func libraryDump(t *testing.T, oracle *netPipe) string {
	raw, err := oracle.Run([][]string{{"FUNCTION", "FLUSH"},
		{"FUNCTION", "LOAD", "#!lua name=lib3\nredis.register_function('lib3_f', function() return redis.call('incr', 'string') end)"},
		{"FUNCTION", "DUMP"}, {"FUNCTION", "FLUSH"}})
	require.NoError(t, err)
	n, _, err := parseFrame(raw[2])
	require.NoError(t, err)
	require.NotEmpty(t, n.text)
	return n.text
}
