package difftest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/stretchr/testify/require"
)

// configProbes are values that reveal a parameter's type and range.
var configProbes = []string{"", "x", "-1", "-2", "0", "-0", "1", "5", "99", "100", "101", "501", "1000", "1001", "16384", "65535", "65536",
	"yes", "NO", "1k", "1Kb", "2mb", "1gb", "kb", "b", "1 kb", "1e3", "0x10", "01", "+1", " 1", "1 ", "1.5", "nan", "\x00", "yes\x00",
	"1\x00k",
	"2147483647", "2147483648", "-2147483648", "-2147483649", "4294967295", "4294967296", "9223372036854775807", "-9223372036854775808",
	"9223372036854775808", "18446744073709551615", "18446744073709551616", "99999999999999999999gb",
	"everysec", "Warning", "allkeys-lru", "AKE", "gxK", "n", "900 1", "900 1 x", "100%", "101%", "1 2 3", "{title}", "a\x00b", "\xff"}

// configProbesOf are values for single parameters.
var configProbesOf = map[string][]string{
	"save": {"900  1", "900 1 300 10", "1 0", "0 1", "1 -1", " 900 1", "900 1 ", "+900 1", "9999999999 1", "1 9999999999", "900 1x",
		"1 2147483648", "0x10 1", "9223372036854775808 1", "900  5 1", "1 1\x00", "\t1 1", "1 1 \x00 1", " "},
	"client-output-buffer-limit": {"normal 0 0 0", "normal 1mb 2mb 60 pubsub 1 2 3", "slave 1 2 3", "REPLICA 7k 8K 9", "master 1 2 3",
		"normal a 2 3", "normal 1 a 3", "normal 1 2 a", "normal 1 2 -1", "normal -1 2 3", "normal 1 2", "normal 1 2 3 pubsub",
		"normal  1 2 3", "normal 1 2 3 normal 4 5 6", "normal 1 2 3x", "normal 1 2 0x10", "normal 1 2 99999999999",
		"pubsub 99999999999999999999 2 3", "normal 1 2 3 ", "normal 5 6 ", " normal 1 2 3", "normal 1 2 +5", "normal 1 2 2147483648",
		"normal 1 2 4294967297", "0 1 2 3", "normal 1 2 3 foo 1 2 3"},
	"oom-score-adj-values": {"1 2", "1 2 3 4", "3 2 1", "-2000 0 2000", "-2001 0 0", "0 0 2001", "a b c", "1  2 3", " 1 2 3", "+1 2 3",
		"0x10 17 18", "1 2 3x", "1  2", "1 2 "},
	"oom-score-adj": {"relative", "YES", "no yes"},
	"latency-tracking-info-percentiles": {"50", "50  99", "50 a", "100.1", "-1", "1e1", "0.0", "99.9999999", "99.12345678901234567", "50 50",
		"inf", "0x10", "50x", " 50", "50 ", "00", "+5", "1e-5", "1e-7", "0.1", "33.3333333333", "-1e-9", "1e-400"},
	"proc-title-template": {"{foo}", "{", "}", "{title", "{title} {config-file} {port} {tls-port} {unixsocket} {listen-addr} {server-mode}",
		"{TITLE}", "x {}", "{{title}}", "{port}", "{tls-port}", "{unixsocket}", "{listen-addr}", "{server-mode}", "{config-file}", "{{", "{{}",
		"}}", " {title} ", "{title} {title}", " "},
	"maxmemory-clients": {"1%", "50%", "-1%", "0%", "1.5%", "%", "2147483648%", "5 %", "1k%", "5%x", "100%%", "+5%", "007%",
		"9223372036854775808%", "18446744073709551516"},
	"notify-keyspace-events": {"KEA", "AKEnmd", "nK", "g$lshzxetd", "g$lshzxet", "m", "An", "K", "Ad", "KEd", "Km", "z", "Km n",
		"g$lshzxetdn", "K\x00z", "e", "t", "KEg$lshzxetdmn"},
	"shutdown-on-sigint": {"default", "save nosave", "nosave now", "now nosave", "now force save", "DEFAULT", "save save",
		"default now", "now  force", "force", "save\x00x", " "},
	"shutdown-on-sigterm":       {"force now nosave", "save abort"},
	"cluster-announce-hostname": {"a.b-c", "A1", "a_b", strings.Repeat("a", 255), strings.Repeat("a", 256), "a@", "a[b"},
	"sanitize-dump-payload":     {"clients", "yes no"},
	"loglevel":                  {"debug", "nothing", "debug verbose"},
	"maxmemory-policy":          {"volatile-lfu", "ALLKEYS-RANDOM", "lru"},
	"bind-source-addr":          {"127.0.0.1"},
}

// configElsewhere are parameters that are not set on the oracle.
var configElsewhere = map[string]string{
	"port":       "the oracle would listen elsewhere",
	"bind":       "the oracle would listen elsewhere",
	"appendonly": "the oracle would write files",
	"maxclients": "depends on how many files the oracle's process may open",
}

// configOwn are parameters whose value is not the oracle's.
var configOwn = map[string]string{
	"port":                 "of the harness",
	"bind":                 "of the harness",
	"dir":                  "of the harness",
	"save":                 "the harness turns it off",
	"enable-debug-command": "local by default, for tests of scripts; the harness sets it",
}

// TestConfigTable compares every parameter's name, default, type, range, canonical form and error
// texts with the oracle. The order of CONFIG GET is not compared: it differs from one start of
// Redis to the next.
func TestConfigTable(t *testing.T) {
	needsOracle(t)
	require.NoError(t, theRunner.Oracle.Reset())
	defer func() { require.NoError(t, theRunner.Oracle.Reset()) }()
	rm, err := NewRedmoon(Present())
	require.NoError(t, err)
	defer rm.Stop()
	for probe, texts := range differingConfig(t, rm, theRunner.Oracle) {
		t.Errorf("%s: %s", probe, texts)
	}
}

// TestConfigTableOfServers does the same for the servers of other versions. A probe that differs
// must stand in testdata/servers/<server>.config.txt, and a probe there must differ.
// REDMOON_RECORD_SERVERS=1 writes these files.
func TestConfigTableOfServers(t *testing.T) {
	tier.Nightly(t)
	eachServer(t, func(t *testing.T, s servers.Server, rm *Redmoon, o *Oracle) {
		checkOpen(t, "testdata/servers/"+s.String()+".config.txt", differingConfig(t, rm, o))
	})
}

// differingConfig returns the probes of parameters that both sides answer in different ways, with
// the replies.
func differingConfig(t *testing.T, rm *Redmoon, o *Oracle) map[string]string {
	found := map[string]string{}
	value := "" // the value that was set last: CONFIG GET differs behind it
	theirs, err := o.Open()
	require.NoError(t, err)
	defer theirs.Close()
	ours, err := rm.Open()
	require.NoError(t, err)
	defer ours.Close()
	same := func(args ...string) {
		t.Helper()
		want, err := theirs.Do(args)
		require.NoError(t, err)
		got, err := ours.Do(args)
		require.NoError(t, err)
		if string(want) != string(got) {
			found[strings.TrimSpace(fmt.Sprintf("%q %q", args, value))] = fmt.Sprintf("oracle %q, redmoon %q", want, got)
		}
	}
	names := configNames(t, ours)
	wanted := configNames(t, theirs)
	for _, name := range slices.Concat(names, wanted) {
		if slices.Contains(names, name) != slices.Contains(wanted, name) {
			found["parameter "+name] = "only one side has it"
		}
	}
	for _, name := range names {
		if configOwn[name] == "" {
			same("CONFIG", "GET", name)
		}
		if configElsewhere[name] != "" {
			continue
		}
		value = ""
		was := map[Conn]string{}
		for _, c := range []Conn{theirs, ours} {
			was[c] = ask(t, c, "CONFIG", "GET", name).kids[1].text
		}
		for _, probe := range slices.Concat(configProbes, configProbesOf[name]) {
			value = ""
			same("CONFIG", "SET", name, probe)
			value = probe
			if configOwn[name] == "" || name == "save" && probe != "" {
				same("CONFIG", "GET", name)
			}
		}
		for c, value := range was {
			ask(t, c, "CONFIG", "SET", name, value)
		}
	}
	return found
}

// configNames are the names of all parameters, sorted.
func configNames(t *testing.T, c Conn) []string {
	t.Helper()
	all := ask(t, c, "CONFIG", "GET", "*").kids
	var names []string
	for i := 0; i < len(all); i += 2 {
		names = append(names, all[i].text)
	}
	slices.Sort(names)
	return names
}
