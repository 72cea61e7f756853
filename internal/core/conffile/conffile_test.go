package conffile_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/conffile"
)

// read reads a configuration file with this text.
func read(t *testing.T, text string) (*conffile.File, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "redis.conf")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return conffile.Read(conffile.Source{Path: path}, cmdrows.TableOf(servers.Redis70))
}

// The values are what CONFIG GET of redis-server 7.0.15 shows after a start with the file.
func TestLinesSetParameters(t *testing.T) {
	for _, c := range []struct{ text, name, want string }{
		{"timeout 7", "timeout", "7"},
		{"  TimeOut \t 7 \r", "timeout", "7"},
		{"timeout 7\ntimeout 8", "timeout", "8"},
		{"# timeout 7\n\n#timeout 8\n", "timeout", "0"},
		{"requirepass \"a b\"", "requirepass", "a b"},
		{"requirepass 'a b'", "requirepass", "a b"},
		{`requirepass "\x41\n\"q\""`, "requirepass", "A\n\"q\""},
		{`requirepass 'it\'s'`, "requirepass", "it's"},
		{`requirepass 'a\nb'`, "requirepass", `a\nb`},
		{"requirepass \"\"", "requirepass", ""},
		{"requirepass a#b", "requirepass", "a#b"},
		{"maxmemory 1k", "maxmemory", "1000"},
		{"maxmemory 1KB", "maxmemory", "1024"},
		{"maxmemory 2mb", "maxmemory", "2097152"},
		{"appendonly YES", "appendonly", "yes"},
		{"maxmemory-policy allkeys-LRU", "maxmemory-policy", "allkeys-lru"},
		{"hash-max-ziplist-entries 3", "hash-max-listpack-entries", "3"},
		{"", "save", "3600 1 300 100 60 10000"},
		{"save 1 2", "save", "1 2"},
		{"save 1 2\nsave 3 4", "save", "1 2 3 4"},
		{"save 1 2\nsave \"\"", "save", ""},
		{"save \"\"\nsave 3 4", "save", "3 4"},
		{"replicaof h 1", "replicaof", "h 1"},
		{"slaveof h 1\nreplicaof no one", "replicaof", ""},
		{"client-output-buffer-limit pubsub 1mb 2 3", "client-output-buffer-limit",
			"normal 0 0 0 slave 268435456 67108864 60 pubsub 1048576 2 3"},
		{"notify-keyspace-events KEA", "notify-keyspace-events", "AKE"},
	} {
		f, err := read(t, c.text)
		require.NoError(t, err, c.text)
		require.Equal(t, c.want, f.Config.ShownAt(f.Config.Names[c.name]), c.text)
		require.Equal(t, c.text != "" && c.text[0] != '#', f.Sets(c.name), c.text)
	}
}

// The problems are what redis-server 7.0.15 prints before it exits.
func TestAWrongLineIsShownWithItsProblem(t *testing.T) {
	for text, want := range map[string]string{
		"nosuch 1":                 "Bad directive or wrong number of arguments",
		"timeout":                  "wrong number of arguments",
		"timeout 1 2":              "wrong number of arguments",
		"timeout x":                "argument couldn't be parsed into an integer",
		"timeout -1":               "argument must be between 0 and 2147483647 inclusive",
		"appendonly maybe":         "argument must be 'yes' or 'no'",
		"maxmemory 1zb":            "argument must be a memory value",
		"requirepass \"a":          "Unbalanced quotes in configuration line",
		"requirepass \"a\"b":       "Unbalanced quotes in configuration line",
		"save 1":                   "Invalid save parameters",
		"save x 1":                 "Invalid save parameters",
		"replicaof h":              "wrong number of arguments",
		"replicaof h 65536":        "Invalid master port",
		"replicaof h x":            "Invalid master port",
		"rename-command nosuch a":  "No such command in rename-command",
		"rename-command get set":   "Target command name already exists",
		"rename-command get":       "Bad directive or wrong number of arguments",
		"include":                  "Bad directive or wrong number of arguments",
		"user a\nuser a":           "Error in user declaration 'a': Duplicate user found. A user can only be defined once in config files",
		"user a on nosuch":         "Error in user declaration 'a': Syntax error",
		"user a (+get":             "Error in user declaration 'user': Unknown command or category name in ACL",
		"dir /nosuch/folder":       "No such file or directory",
		"sentinel monitor m 1 2 3": "sentinel directive while not in sentinel mode",
		"maxmemory-policy what": "argument(s) must be one of the following: " +
			"volatile-lru, volatile-lfu, volatile-random, volatile-ttl, allkeys-lru, allkeys-lfu, allkeys-random, noeviction",
		"client-output-buffer-limit a": "Wrong number of arguments in buffer limit configuration.",
	} {
		_, err := read(t, "# first\n"+text+"\n")
		var wrong *conffile.Error
		require.True(t, errors.As(err, &wrong), "%s: %v", text, err)
		lines := strings.Split(text, "\n")
		require.Equal(t, conffile.Error{
			File: wrong.File, Line: len(lines) + 1, Text: strings.TrimSpace(lines[len(lines)-1]), Problem: want}, *wrong)
	}
	e := conffile.Error{Line: 2, Text: "timeout x", Problem: "wrong"}
	const block = "\n*** FATAL CONFIG FILE ERROR (Redis 7.0.15) ***\nReading the configuration file, at line 2\n>>> 'timeout x'\nwrong\n"
	require.Equal(t, block, e.Block("7.0.15"))
}

func TestIncludedFilesAreReadInTheirPlace(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	write("b1.inc", "timeout 1\nport 1\n")
	write("b2.inc", "port 2\n")
	path := write("redis.conf", "port 9\ntimeout 9\ninclude "+dir+"/b*.inc\ninclude "+dir+"/none*\nhz 20\n")
	table := cmdrows.TableOf(servers.Redis70)
	f, err := conffile.Read(conffile.Source{Path: path, Stdin: "hz 30\n", Options: "hz 40"}, table)
	require.NoError(t, err)
	for name, want := range map[string]string{"port": "2", "timeout": "1", "hz": "40"} {
		require.Equal(t, want, f.Value(name), name)
	}
	_, err = conffile.Read(conffile.Source{Path: write("c.conf", "include "+dir+"/none")}, table)
	var open *conffile.OpenError
	require.True(t, errors.As(err, &open))
	require.EqualError(t, err, "can't open config file '"+dir+"/none': No such file or directory")
	path = write("loop.conf", "include "+dir+"/loop.conf")
	_, err = conffile.Read(conffile.Source{Path: path}, table)
	require.ErrorContains(t, err, "files include each other")
	_, err = conffile.Read(conffile.Source{Path: write("d.conf", "include "+write("bad.inc", "\ntimeout x"))}, table)
	require.ErrorContains(t, err, "bad.inc, at line 2\n>>> 'timeout x'")
	_, err = conffile.Read(conffile.Source{Options: "timeout 1\nhz x"}, table)
	require.ErrorContains(t, err, "at line 3\n>>> 'hz x'", "an empty line comes before them, as in redis-server")
}

func TestCommandsAreRenamed(t *testing.T) {
	f, err := read(t, "rename-command CONFIG secret\nrename-command flushall \"\"\nrename-command get GET\n")
	require.NoError(t, err)
	require.Nil(t, f.Table.Lookup("config"))
	require.Nil(t, f.Table.Lookup("flushall"))
	require.Equal(t, "config", f.Table.Lookup("SECRET").Name)
	require.NotNil(t, f.Table.Lookup("get"))
}

func TestAClusterNodeFollowsNoMasterOfAFile(t *testing.T) {
	_, err := read(t, "cluster-enabled yes\nreplicaof h 1")
	require.EqualError(t, err, "replicaof directive not allowed in cluster mode")
}

// rewrite changes parameters after a file has been read, and returns the new text of the file.
func rewrite(t *testing.T, text string, users []string, changes ...string) string {
	t.Helper()
	f, err := read(t, text)
	require.NoError(t, err)
	for i := 0; i < len(changes); i += 2 {
		require.NoError(t, f.Config.Fix(changes[i], changes[i+1]))
	}
	var b strings.Builder
	for line := range strings.Lines(conffile.Rewrite(text, false, f.Config, users)) {
		switch name, value, _ := strings.Cut(line, " "); name {
		case "dir", "latency-tracking-info-percentiles":
			continue // which redis-server always writes
		case "save":
			if strings.Contains(" 3600 1\n300 100\n60 10000\n", value) {
				continue
			}
		}
		b.WriteString(line)
	}
	return b.String()
}

// The new texts come from CONFIG REWRITE of redis-server 7.0.15, without the lines about its folder
// and the lines that it always writes.
func TestARewriteKeepsCommentsAndOrder(t *testing.T) {
	const sign = "# Generated by CONFIG REWRITE\n"
	for _, c := range []struct {
		text    string
		changes []string
		want    string
	}{
		{"# a\ntimeout 7\n\n# b\nhz 20\n", nil, "# a\ntimeout 7\n\n# b\nhz 20\n\n" + sign},
		{"# a\ntimeout 7\n\n\n\nhz 20", []string{"timeout", "8"}, "# a\ntimeout 8\n\nhz 20\n" + sign},
		{"TIMEOUT   7", []string{"timeout", "7"}, "timeout 7\n" + sign},
		{"timeout 7\nhz 20", []string{"timeout", "0"}, "timeout 0\nhz 20\n" + sign},
		{"timeout 7\n# c\ntimeout 8", nil, "timeout 8\n# c\n\n" + sign},
		{"hz 20", []string{"timeout", "9"}, "hz 20\n" + sign + "timeout 9\n"},
		{"hz 20\n" + strings.TrimSpace(sign) + "\ntimeout 9", []string{"maxclients", "77"}, "hz 20\n" + sign + "timeout 9\nmaxclients 77\n"},
		{"hz 10", nil, "hz 10\n" + sign},
		{"requirepass x", []string{"requirepass", "a b"}, "requirepass \"a b\"\n" + sign},
		{"rename-command get fetch\ninclude /nosuch*", nil, "rename-command get fetch\ninclude /nosuch*\n" + sign},
		{"save 1 2 3 4", nil, "save 1 2\n" + sign + "save 3 4\n"},
		{"save 1 2\nsave 3 4\nhz 20", []string{"save", "5 6"}, "save 5 6\n\nhz 20\n" + sign},
	} {
		got := rewrite(t, c.text, nil, c.changes...)
		require.Equal(t, c.want, got, c.text)
	}
}

func TestARewriteWritesTheUsers(t *testing.T) {
	got := rewrite(t, "user old on\n# c\nuser b on", []string{"user a on", "user b off", "user c on"})
	require.Equal(t, "user a on\n# c\nuser b off\n# Generated by CONFIG REWRITE\nuser c on\n", got)
	require.Equal(t, "user a on\n# c\n\n# Generated by CONFIG REWRITE\n", rewrite(t, "user old on\n# c\nuser b on", []string{"user a on"}))
}
