package difftest

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
)

// migrateCase is a MIGRATE against a [fakeTarget]. In a command, HOST and PORT stand for its
// address.
type migrateCase struct {
	name     string
	rules    targetRules
	commands []string
}

func ok(n int) (list []string) {
	for range n {
		list = append(list, "+OK\r\n")
	}
	return list
}

const (
	one  = "MIGRATE HOST PORT s 0 100000"
	many = "MIGRATE HOST PORT \"\" 0 100000 KEYS s nosuch l h"
)

// within gives a MIGRATE such as one another time-out.
func within(ms int, command string) string {
	return strings.Replace(command, "100000", strconv.Itoa(ms), 1)
}

// timed reports whether the case ends otherwise if a second passes too soon.
func (c *migrateCase) timed() bool {
	return c.rules.drain || slices.ContainsFunc(c.commands, func(line string) bool {
		return strings.HasPrefix(line, "MIGRATE") && !strings.Contains(line, "100000")
	})
}

func migrateCases() (cases []migrateCase) {
	add := func(name string, rules targetRules, commands ...string) {
		cases = append(cases, migrateCase{name: name, rules: rules, commands: commands})
	}
	says := func(lists ...[]string) targetRules { return targetRules{answers: lists} }
	add("one", targetRules{}, one)
	add("many", targetRules{}, many)
	add("missing", targetRules{}, "MIGRATE HOST PORT nosuch 0 100000")
	add("copy", targetRules{}, "migrate HOST PORT s 0 100000 copy")
	add("replace", targetRules{}, "MIGRATE HOST PORT s 0 100000 REPLACE")
	add("both", targetRules{}, "MIGRATE HOST PORT s 0 100000 COPY REPLACE COPY")
	add("database", targetRules{}, "MIGRATE HOST PORT s 7 100000", "MIGRATE HOST PORT l 7 100000", "MIGRATE HOST PORT h 0 100000",
		"MIGRATE HOST PORT x 0 100000")
	add("negative database", targetRules{}, "MIGRATE HOST PORT s -1 100000", "MIGRATE HOST PORT l -1 100000",
		"MIGRATE HOST PORT h -2 100000")
	add("large database", targetRules{}, "MIGRATE HOST PORT s 9223372036854775807 100000",
		"MIGRATE HOST PORT l 9223372036854775808 100000")
	add("time-outs", targetRules{}, "MIGRATE HOST PORT s 0 0", "MIGRATE HOST PORT l 0 -5", "MIGRATE HOST PORT h 0 99999999999")
	add("password", targetRules{}, "MIGRATE HOST PORT s 0 100000 AUTH secret", "MIGRATE HOST PORT l 0 100000 AUTH secret")
	add("user", targetRules{}, "MIGRATE HOST PORT s 0 100000 AUTH2 me secret", "MIGRATE HOST PORT l 0 100000 AUTH2 me secret AUTH other",
		"MIGRATE HOST PORT h 0 100000 AUTH other AUTH2 me secret COPY")
	add("wrong password", says([]string{"-WRONGPASS no\r\n"}), "MIGRATE HOST PORT s 0 100000 AUTH bad", one)
	add("wrong password and all", says([]string{"-WRONGPASS no\r\n", "-NOAUTH select\r\n", "-NOAUTH restore\r\n"}),
		"MIGRATE HOST PORT \"\" 3 100000 AUTH bad KEYS s l")
	add("wrong database", says([]string{"-ERR DB index is out of range\r\n"}), "MIGRATE HOST PORT s 99 100000",
		"MIGRATE HOST PORT s 99 100000", "MIGRATE HOST PORT s 0 100000")
	for i := range 4 {
		answers := ok(4)
		answers[i] = "-BUSYKEY Target key name already exists.\r\n"
		add(fmt.Sprint("error ", i), says(answers), many, one)
		answers = ok(4)
		answers[i] = hangUp
		add(fmt.Sprint("closed ", i), says(answers), many, one)
		add(fmt.Sprint("closed once ", i), says(answers, nil), many, one)
		answers = ok(4)
		answers[i] = silent
		add(fmt.Sprint("silent ", i), says(answers), within(60, many), within(1000, one))
	}
	add("two errors", says([]string{"+OK\r\n", "-A first\r\n", "-B second\r\n"}), many)
	add("error, then closed", says([]string{"+OK\r\n", "-A first\r\n" + hangUp}), many)
	add("closed behind the last reply", says([]string{"+OK\r\n", "+OK\r\n" + hangUp}), one, "MIGRATE HOST PORT l 0 100000")
	for _, line := range []string{"-\r\n", "-ERR a\tb\r c\r\n", "-ERR no cr\n", "\r\n", "\n", ":1\r\n", "$2\r\nOK\r\n", "+\r\n",
		"-ERR nul\x00here\r\n",
		"-ERR %s %d\r\n", "no type\r\n", "-ERR two\r\n-ERR lines\r\n", "+OK\r\n+OK\r\n", "-ERR end\r\r\n", "-\xff\xfe\r\n", "\x00\r\n",
		"\x00-\r\n",
		"-" + strings.Repeat("x", 1020) + "\r\n", "-" + strings.Repeat("x", 1021) + "\r\n", "-" + strings.Repeat("x", 1022) + "\r\n",
		"-" + strings.Repeat("x", 1023) + "\r\n", "-" + strings.Repeat("x", 3000) + "\r\n", "+" + strings.Repeat("x", 3000) + "\r\n"} {
		rules := func(answers ...string) targetRules { return targetRules{answers: [][]string{answers}, drain: true} }
		add(fmt.Sprintf("reply %.20q %d", line, len(line)), rules("+OK\r\n", line), within(1000, one),
			"MIGRATE HOST PORT l 0 100", "MIGRATE HOST PORT h 0 100")
		add(fmt.Sprintf("reply %.20q %d to SELECT", line, len(line)), rules(line), within(1000, one), "MIGRATE HOST PORT l 0 100")
	}
	add("duplicates", targetRules{}, "MIGRATE HOST PORT \"\" 0 100000 REPLACE KEYS s s s")
	add("empty key", targetRules{}, "SET \"\" v", "MIGRATE HOST PORT \"\" 0 100000")
	add("no keys", targetRules{}, "MIGRATE HOST PORT \"\" 0 100000 KEYS")
	add("transaction", targetRules{}, "MULTI", "SET a 1", one, "SET b 2", "EXEC")
	add("transaction of one", targetRules{}, "MULTI", one, "EXEC")
	add("script", targetRules{},
		`EVAL "redis.call('set', 'a', 1) return {redis.call('migrate', 'HOST', 'PORT', 's', 0, 100000), redis.call('exists', 's')}" 0`)
	add("script alone", targetRules{}, `EVAL "return redis.call('migrate', 'HOST', 'PORT', KEYS[1], 0, 100000)" 1 s`)
	add("script with an error", says([]string{"+OK\r\n", "-ERR no\r\n"}),
		`EVAL "return redis.call('migrate', 'HOST', 'PORT', 's', 0, 100000)" 0`)
	add("read-only script", targetRules{}, `EVAL_RO "return redis.call('migrate', 'HOST', 'PORT', 's', 0, 100000)" 0`)
	add("blocked", targetRules{blocked: true},
		`EVAL "redis.call('set', 'big', string.rep('x', 20000000))" 0`, "MIGRATE HOST PORT big 0 100", "MIGRATE HOST PORT s 0 100")
	add("nobody", targetRules{}, "MIGRATE 127.0.0.1 1 s 0 100", "MIGRATE \"\" PORT s 0 100", "MIGRATE 127.0.0.1 abc s 0 100",
		"MIGRATE nosuch.invalid PORT s 0 100", "MIGRATE HOST -1 s 0 100")
	for _, args := range []string{"KEYS", "KEYS s", "AUTH", "AUTH2", "AUTH2 a", "FOO", "COPY FOO", "AUTH KEYS", "AUTH2 KEYS KEYS KEYS"} {
		add("arguments "+args, targetRules{}, one+" "+args, strings.Replace(one, " s ", " \"\" ", 1)+" "+args)
	}
	return cases
}

// breakCases are MIGRATEs whose target breaks at each byte: of what it receives, and of what it
// answers.
func breakCases() (cases []migrateCase) {
	const commands = "MIGRATE HOST PORT \"\" 2 100000 AUTH pw KEYS s n"
	for at := 1; at <= 130; at++ {
		for _, once := range []bool{false, true} {
			cases = append(cases, migrateCase{name: fmt.Sprint("input breaks at ", at, ", once: ", once),
				rules: targetRules{hangUpAt: at, onlyFirst: once}, commands: []string{commands}})
		}
	}
	answers := []string{"+OK\r\n", "+OK\r\n", "+OK\r\n", "-ERR no\r\n"}
	for i, answer := range answers {
		for cut := range answer {
			broken := append(append([]string(nil), answers[:i]...), answer[:cut]+hangUp)
			cases = append(cases, migrateCase{name: fmt.Sprint("reply ", i, " breaks at ", cut), rules: targetRules{answers: [][]string{broken}},
				commands: []string{commands, commands}})
		}
	}
	return cases
}

// play plays a case and returns everything that can be seen of it.
func (m *migrating) play(t *testing.T, f *fakeTarget, c *migrateCase) (seen []string) {
	t.Helper()
	m.forget(t, f)
	for _, args := range [][]string{{"FLUSHALL"}, {"SET", "s", "value"}, {"SET", "n", "42"}, {"RPUSH", "l", "a", "b", "17"},
		{"HSET", "h", "f", "v"}, {"ZADD", "x", "1.5", "m"},
		{"CONFIG", "RESETSTAT"}} {
		m.do(t, args...)
	}
	m.sent(t)
	f.reset(c.rules)
	host, port := f.addr()
	for _, line := range c.commands {
		line = strings.NewReplacer("HOST", host, "PORT", port).Replace(line)
		args, err := texts(line)
		require.NoError(t, err)
		seen = append(seen, fmt.Sprintf("%.2000s", m.do(t, args...)))
	}
	for _, name := range []string{"keyspace_hits", "keyspace_misses", "migrate_cached_sockets"} {
		seen = append(seen, name+" "+m.line(t, "stats", name))
	}
	seen = append(seen, "errors "+m.do(t, "INFO", "errorstats"), "keys "+m.do(t, "EXISTS", "s", "n", "l", "h", "x", "a", "b"),
		"effects "+m.sent(t))
	return append(seen, f.reset(targetRules{})...)
}

// forget makes the server notice that its connections to the target have ended.
func (m *migrating) forget(t *testing.T, f *fakeTarget) {
	f.reset(targetRules{answers: [][]string{{hangUp}}})
	host, port := f.addr()
	m.do(t, "SET", "s", "v")
	for range 100 { // replies that were not read may be left
		if strings.Contains(m.do(t, "MIGRATE", host, port, "s", "0", "1000", "COPY"), "IOERR") {
			break
		}
	}
	require.Equal(t, "0", m.line(t, "stats", "migrate_cached_sockets"))
}

func compareMigrations(t *testing.T, theirs, ours *migrating, cases []migrateCase) {
	f := newFakeTarget(t)
	for i := range cases {
		c := &cases[i]
		t.Run(c.name, func(t *testing.T) {
			want, got := theirs.play(t, f, c), ours.play(t, f, c)
			for tries := 0; c.timed() && tries < 4 && !slices.Equal(want, got); tries++ {
				want, got = theirs.play(t, f, c), ours.play(t, f, c)
			}
			require.Equal(t, want, got)
		})
	}
}

// TestMigrateInACluster compares MIGRATE of a node of a cluster, which restores by RESTORE-ASKING.
func TestMigrateInACluster(t *testing.T) {
	needsOracle(t)
	o, err := StartCluster()
	require.NoError(t, err)
	t.Cleanup(o.Stop)
	c, err := o.Open()
	require.NoError(t, err)
	t.Cleanup(c.Close)
	nothing := func() ([]byte, error) { return nil, nil }
	theirs, ours := &migrating{c: c.(*NetConn), effects: nothing}, ourMigrating(t, engine.Options{Cluster: true})
	ours.effects = nothing
	f := newFakeTarget(t)
	host, port := f.addr()
	var want []string
	for _, m := range []*migrating{theirs, ours} {
		f.reset(targetRules{})
		var seen []string
		for _, args := range [][]string{{"SET", "{k}1", "a"}, {"SET", "{k}2", "b"}, {"SET", "other", "c"},
			{"MIGRATE", host, port, "other", "0", "100000"}, {"MIGRATE", host, port, "", "0", "100000", "KEYS", "{k}1", "{k}2"},
			{"MIGRATE", host, port, "", "0", "100000", "KEYS", "{k}1", "other"}, {"MIGRATE", host, port, "other", "1", "100000"}, {"DBSIZE"}} {
			seen = append(seen, m.do(t, args...))
		}
		seen = append(seen, f.reset(targetRules{})...)
		require.Contains(t, seen[len(seen)-1], "RESTORE-ASKING")
		if want == nil {
			want = seen
		}
		require.Equal(t, want, seen)
	}
}

// TestMigrateCachesConnections compares how many connections stay open, and for how long.
func TestMigrateCachesConnections(t *testing.T) {
	needsOracle(t)
	theirs, ours := oracleMigrating(t, oracleOfItsOwn(t)), ourMigrating(t, engine.Options{})
	f := newFakeTarget(t)
	host, port := f.addr()
	var counts [2][]string
	for i, m := range []*migrating{theirs, ours} {
		m.do(t, "SET", "k", "v")
		began := Present()
		for n := range 70 { // the name differs, the address does not
			reply := m.do(t, "MIGRATE", host, strings.Repeat("0", n)+port, "k", "0", "100000", "COPY")
			require.Equal(t, "+OK\r\n", reply)
			counts[i] = append(counts[i], m.line(t, "stats", "migrate_cached_sockets"))
		}
		m.pass(5 * time.Second)
		cached := func() string { return m.line(t, "stats", "migrate_cached_sockets") }
		if n := cached(); m == ours || Present().Sub(began) < 9*time.Second { // else one may be closed already
			require.Equal(t, "64", n)
		}
		require.Equal(t, "+OK\r\n", m.do(t, "MIGRATE", host, port, "k", "0", "100000", "COPY"))
		if m == theirs { // its time does not wait for us
			patience.Until(t, func() bool { n := cached(); return n == "1" || n == "0" })
			patience.Until(t, func() bool { return cached() == "0" })
			continue
		}
		m.pass(9 * time.Second)
		require.Equal(t, "1", cached())
		m.pass(4 * time.Second)
		require.Equal(t, "0", cached())
	}
	require.Equal(t, counts[0], counts[1])
}

// TestMigrateBetweenServers moves keys of all types to the oracle and back.
func TestMigrateBetweenServers(t *testing.T) {
	needsOracle(t)
	oracle := oracleOfItsOwn(t)
	theirs := oracleMigrating(t, oracle)
	began := Present()
	r, err := serveRedmoon(engine.Options{}, began)
	require.NoError(t, err)
	defer func() { require.NoError(t, r.stop()) }()
	c, err := r.Open()
	require.NoError(t, err)
	defer c.Close()
	ours := &migrating{c: c.(*NetConn)}
	const expires = 4102444800000
	ours.do(t, "EVAL", `
for _, n in ipairs({3, 600}) do
	for i = 1, n do
		local v = 'v' .. i .. string.rep('x', i % 50)
		redis.call('append', 's' .. n, v)
		redis.call('rpush', 'l' .. n, v, i)
		redis.call('sadd', 'i' .. n, i)
		redis.call('sadd', 'm' .. n, v)
		redis.call('hset', 'h' .. n, v, i)
		redis.call('zadd', 'z' .. n, i / 7, v)
		redis.call('xadd', 'x' .. n, i .. '-1', 'f', v)
		redis.call('setbit', 'b' .. n, i * 3, 1)
		redis.call('pfadd', 'p' .. n, i)
	end
	redis.call('xgroup', 'create', 'x' .. n, 'g', '2')
	redis.call('xreadgroup', 'group', 'g', 'c', 'count', 2, 'streams', 'x' .. n, '>')
end
for _, k in ipairs(redis.call('keys', '*3')) do redis.call('pexpireat', k, '`+strconv.Itoa(expires)+`') end
redis.call('set', 'soon', 1, 'px', 300000)
return redis.call('dbsize')`, "0")
	raw := ours.do(t, "KEYS", "*")
	list, _, err := parseFrame([]byte(raw))
	require.NoError(t, err)
	require.Len(t, list.kids, 19)
	values := func(m *migrating, late time.Duration) map[string]string {
		all := map[string]string{}
		for _, k := range list.kids {
			all[k.text] = m.do(t, "TYPE", k.text) + strings.Replace(m.do(t, "OBJECT", "ENCODING", k.text), "3\r\nraw", "6\r\nembstr", 1) +
				m.do(t, "DEBUG", "DIGEST-VALUE", k.text)
			if strings.HasSuffix(k.text, "3") {
				at, err := strconv.ParseInt(strings.Trim(m.do(t, "PEXPIRETIME", k.text), ":\r\n"), 10, 64)
				require.NoError(t, err)
				// The time to live is sent, not the time: it changes by the difference of the clocks, of
				// which ours stands, and each of four ways rounds it.
				require.LessOrEqual(t, max(at-expires, expires-at), late.Milliseconds()+4)
			}
		}
		return all
	}
	before := values(ours, 0)
	for range 2 {
		for i, way := range []struct {
			from, to *migrating
			addr     string
		}{{ours, theirs, oracle.Addr}, {theirs, ours, r.addr}} {
			host, port, err := net.SplitHostPort(way.addr)
			require.NoError(t, err)
			args := []string{"MIGRATE", host, port, "", "0", "100000", "REPLACE", "KEYS"}
			for _, k := range list.kids {
				args = append(args, k.text)
			}
			require.Equal(t, "+OK\r\n", way.from.do(t, args...))
			require.Equal(t, ":0\r\n", way.from.do(t, "DBSIZE"))
			require.Equal(t, before, values(way.to, Present().Sub(began)), i)
			left, err := strconv.Atoi(strings.Trim(way.to.do(t, "PTTL", "soon"), ":\r\n"))
			require.NoError(t, err)
			require.True(t, left > 0 && left <= 300000, left)
		}
	}
	host, port, err := net.SplitHostPort(oracle.Addr)
	require.NoError(t, err)
	require.Equal(t, "+OK\r\n", ours.do(t, "MIGRATE", host, port, "s3", "3", "100000", "COPY"))
	require.Equal(t, "-ERR Target instance replied with error: BUSYKEY Target key name already exists.\r\n",
		ours.do(t, "MIGRATE", host, port, "s3", "3", "100000"))
	theirs.do(t, "ACL", "SETUSER", "me", "on", ">pw", "~l*", "+@all")
	require.Equal(t, "+OK\r\n", ours.do(t, "MIGRATE", host, port, "l3", "3", "100000", "AUTH2", "me", "pw"))
	require.Contains(t, ours.do(t, "MIGRATE", host, port, "s3", "3", "100000", "AUTH2", "me", "pw"), "replied with error: NOPERM")
	require.Contains(t, ours.do(t, "MIGRATE", host, port, "s3", "3", "100000", "AUTH", "pw"), "replied with error: ")
	require.Equal(t, ":1\r\n", ours.do(t, "EXISTS", "s3"))
	theirs.do(t, "ACL", "DELUSER", "me")
}

// TestMigrate compares MIGRATE with the oracle against a target that answers both the same way:
// replies, what the target receives, what is left, and what is sent to replicas.
func TestMigrate(t *testing.T) {
	needsOracle(t)
	compareMigrations(t, oracleMigrating(t, oracleOfItsOwn(t)), ourMigrating(t, engine.Options{}), migrateCases())
}

// TestMigrateBreaks is TestMigrate with a target that breaks at each byte.
func TestMigrateBreaks(t *testing.T) {
	needsOracle(t)
	compareMigrations(t, oracleMigrating(t, oracleOfItsOwn(t)), ourMigrating(t, engine.Options{}), breakCases())
}
