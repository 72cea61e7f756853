//go:build linux

package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/quoting"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/reply"
	"github.com/redmoon-lua/redmoon/resp"
)

// filesCase is a life of a server and its files, played on redis-server and on this program.
type filesCase struct {
	name  string
	args  []string          // after the port and the directory
	files map[string]string // before the start; "-> path" is a symbolic link, "/" a directory
	steps []string          // see play
	quiet bool              // the log is not compared
}

var filesCases = []filesCase{
	{
		name: "a full disk under the append-only file",
		args: []string{"--appendonly", "yes", "--save", "", "--aof-use-rdb-preamble", "no"},
		files: map[string]string{
			"appendonlydir/appendonly.aof.manifest":   "file appendonly.aof.1.base.aof seq 1 type b\nfile appendonly.aof.1.incr.aof seq 1 type i\n",
			"appendonlydir/appendonly.aof.1.base.aof": string(resp.AppendCommand(nil, "FUNCTION", "LOAD", library)),
			"appendonlydir/appendonly.aof.1.incr.aof": "-> /dev/full",
			"appendonlydir/appendonly.aof.2.incr.aof": "/", // this program tries a new file by itself
		},
		quiet: true,
		steps: append([]string{"SET b 1", "until aof_last_write_status:err"}, append(deniedSteps,
			"rmdir appendonlydir/appendonly.aof.2.incr.aof", "BGREWRITEAOF", "until aof_last_write_status:ok",
			"until aof_rewrite_in_progress:0", "SET a 1", "SHUTDOWN")...),
	},
	{
		name: "a dump that cannot be written",
		args: []string{"--save", "3600 1"},
		steps: append([]string{loadLibrary, "mkdir dump.rdb", "SET b 1", "SAVE", "BGSAVE",
			"until rdb_last_bgsave_status:err"}, append(deniedSteps,
			"SHUTDOWN", "CONFIG SET stop-writes-on-bgsave-error no", "SET a 1", "SHUTDOWN",
			"CONFIG SET stop-writes-on-bgsave-error yes", "SET a 1", "rmdir dump.rdb", "BGSAVE", "until rdb_last_bgsave_status:ok",
			"SET a 2", "LASTSAVE", "SHUTDOWN")...),
	},
	{
		name:  "too few replicas",
		args:  []string{"--save", ""},
		steps: append([]string{"SET b 1", loadLibrary, "CONFIG SET min-replicas-to-write 1"}, deniedSteps...),
	},
	{
		name:  "too little memory",
		args:  []string{"--save", ""},
		steps: append([]string{"SET b 1", loadLibrary, "CONFIG SET maxmemory 1"}, deniedSteps...),
		quiet: true,
	},
	{
		name:  "a replica without its master",
		args:  []string{"--save", ""},
		steps: append([]string{"SET b 1", loadLibrary, "REPLICAOF 127.0.0.1 1"}, deniedSteps...),
		quiet: true,
	},
	{
		name: "a stale replica",
		args: []string{"--save", ""},
		steps: append([]string{"SET b 1", loadLibrary, "CONFIG SET replica-serve-stale-data no", "REPLICAOF 127.0.0.1 1"},
			append(deniedSteps, "CONFIG SET replica-read-only no", "SET a 1", `EVAL "return redis.call('set','x',1)" 0`)...),
		quiet: true,
	},
	{
		name: "a writable replica",
		args: []string{"--save", ""},
		steps: append([]string{"SET b 1", loadLibrary, "CONFIG SET replica-read-only no", "REPLICAOF 127.0.0.1 1"},
			deniedSteps...),
		quiet: true,
	},
	{
		name:  "SHUTDOWN FORCE although the dump cannot be written",
		args:  []string{"--save", "3600 1"},
		steps: []string{"SET a 1", "mkdir dump.rdb", "SHUTDOWN", "PING", "SHUTDOWN NOW", "SHUTDOWN FORCE"},
	},
	{
		name: "saving while saving",
		args: []string{"--save", ""},
		steps: []string{"SET a 1", "MULTI", "BGSAVE", "BGSAVE", "BGSAVE SCHEDULE", "SAVE", "BGREWRITEAOF", "BGSAVE x", "EXEC",
			"until rdb_bgsave_in_progress:0", "until aof_rewrite_scheduled:0", "until aof_rewrite_in_progress:0",
			"MULTI", "BGREWRITEAOF", "BGREWRITEAOF", "BGSAVE", "EXEC", "until rdb_bgsave_in_progress:0"},
	},
	{
		name: "parameters",
		args: []string{"--save", ""},
		steps: []string{"CONFIG SET dir /nosuch", "CONFIG SET dir dump.rdb", "CONFIG SET dbfilename a/b", "CONFIG SET appendfilename x",
			"CONFIG SET appenddirname y", "CONFIG SET appendonly maybe", "CONFIG SET save x", "CONFIG SET save \"60\"", "CONFIG SET save \"0 1\"",
			"CONFIG SET appendfsync sometimes", "CONFIG SET auto-aof-rewrite-percentage -1", "CONFIG SET dir . dbfilename other.rdb",
			"SET a 1", "SAVE", "CONFIG SET appendonly yes", "until aof_rewrite_in_progress:0", "SET a 2", "CONFIG SET appendonly no",
			"SHUTDOWN SAVE"},
	},
	{
		name: "an append-only file that cannot be turned on",
		args: []string{"--save", ""},
		steps: []string{"SET a 1", "touch appendonlydir", "CONFIG SET appendonly yes", "GET a", "CONFIG GET appendonly",
			"BGREWRITEAOF", "SET a 2"},
	},
	{
		name: "DEBUG RELOAD and LOADAOF",
		args: []string{"--save", "", "--enable-debug-command", "yes"},
		steps: []string{"SET a 1", "DEBUG RELOAD", "GET a", "DEBUG RELOAD NOSAVE", "DEBUG RELOAD NOSUCH",
			"write dump.rdb junk", "DEBUG RELOAD NOSAVE",
			"DBSIZE", "SET a 2", "DEBUG RELOAD NOFLUSH NOSAVE", "rm dump.rdb", "DEBUG RELOAD NOSAVE", "DBSIZE",
			"CONFIG SET appendonly yes", "until aof_rewrite_in_progress:0", "SET b 1", "DEBUG LOADAOF", "GET b"},
	},
	{
		name:  "a torn end",
		args:  []string{"--save", "", "--appendonly", "yes"},
		files: map[string]string{"appendonlydir/appendonly.aof.manifest": manifestOfOne, incr1: set1 + "*3\r\n$3\r\nSET\r\n$1\r\nb\r\n$1"},
		steps: []string{"DBSIZE", "SET c 1", "SHUTDOWN"},
	},
	{
		name:  "a torn end, aof-load-truncated no",
		args:  []string{"--save", "", "--appendonly", "yes", "--aof-load-truncated", "no"},
		files: map[string]string{"appendonlydir/appendonly.aof.manifest": manifestOfOne, incr1: set1 + "*3\r\n$3\r\nSET\r\n$1\r\nb\r\n$1"},
	},
	{
		name:  "a damaged middle",
		args:  []string{"--save", "", "--appendonly", "yes"},
		files: map[string]string{"appendonlydir/appendonly.aof.manifest": manifestOfOne, incr1: set1 + "junk" + set1},
	},
	{
		name:  "an unknown command",
		args:  []string{"--save", "", "--appendonly", "yes"},
		files: map[string]string{"appendonlydir/appendonly.aof.manifest": manifestOfOne, incr1: set1 + "*2\r\n$6\r\nnosuch\r\n$1\r\na\r\n"},
	},
	{
		name:  "a file that is missing",
		args:  []string{"--save", "", "--appendonly", "yes"},
		files: map[string]string{"appendonlydir/appendonly.aof.manifest": manifestOfOne},
	},
	{
		name:  "a manifest that is damaged",
		args:  []string{"--save", "", "--appendonly", "yes"},
		files: map[string]string{"appendonlydir/appendonly.aof.manifest": "file appendonly.aof.1.incr.aof seq x type i\n"},
	},
	{
		name:  "an empty manifest",
		args:  []string{"--save", "", "--appendonly", "yes"},
		files: map[string]string{"appendonlydir/appendonly.aof.manifest": ""},
	},
	{
		name:  "a file of Redis 6",
		args:  []string{"--save", "", "--appendonly", "yes"},
		files: map[string]string{"appendonly.aof": set1},
		steps: []string{"GET a", "SHUTDOWN"},
	},
	{
		name:  "a dump that is junk",
		args:  []string{"--save", ""},
		files: map[string]string{"dump.rdb": "junk"},
	},
	{
		name:  "a dump that is cut",
		args:  []string{"--save", ""},
		files: map[string]string{"dump.rdb": "REDIS0010\xfe\x00\x00\x01a"},
	},
	{
		name:  "a dump of a later version",
		args:  []string{"--save", ""},
		files: map[string]string{"dump.rdb": "REDIS0099\xff"},
	},
	{
		name:  "a dump with a wrong checksum",
		args:  []string{"--save", ""},
		files: map[string]string{"dump.rdb": "REDIS0010\xff\x00\x00\x00\x00\x00\x00\x00\x01"},
	},
	{
		name:  "a dump with a wrong signature",
		args:  []string{"--save", ""},
		files: map[string]string{"dump.rdb": "junkjunkjunk"},
	},
	{
		name:  "a dump of too many databases",
		args:  []string{"--save", ""},
		files: map[string]string{"dump.rdb": "REDIS0010\xfe\x40\x63\x00\x01a\x01b\xff"},
	},
	{
		name: "a base file of a later version",
		args: []string{"--save", "", "--appendonly", "yes"},
		files: map[string]string{"appendonlydir/appendonly.aof.manifest": "file appendonly.aof.1.base.rdb seq 1 type b\n" + manifestOfOne,
			"appendonlydir/appendonly.aof.1.base.rdb": "REDIS0099\xff", incr1: ""},
	},
	{
		name:  "a torn transaction",
		args:  []string{"--save", "", "--appendonly", "yes"},
		files: map[string]string{"appendonlydir/appendonly.aof.manifest": manifestOfOne, incr1: set1 + "*1\r\n$5\r\nMULTI\r\n" + set1},
		steps: []string{"DBSIZE", "SET c 1", "SHUTDOWN"},
	},
	{
		name:  "an empty dump",
		args:  []string{"--save", ""},
		files: map[string]string{"dump.rdb": ""},
	},
}

const (
	library = "#!lua name=l\nlocal function write() return redis.call('set','x',1) end\n" +
		"local function read() return redis.call('get','b') end\n" +
		"redis.register_function('w',write)\nredis.register_function{function_name='r',callback=read,flags={'no-writes'}}\n" +
		"redis.register_function{function_name='s',callback=read,flags={'no-writes','allow-stale'}}\n" +
		"redis.register_function{function_name='o',callback=write,flags={'allow-oom'}}\n" +
		"redis.register_function{function_name='ws',callback=write,flags={'allow-stale'}}\n"
	manifestOfOne = "file appendonly.aof.1.incr.aof seq 1 type i\n"
	incr1         = "appendonlydir/appendonly.aof.1.incr.aof"
	set1          = "*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\n1\r\n"
)

var loadLibrary = "FUNCTION LOAD " + string(quoting.Append(nil, library))

// deniedSteps meet a server that refuses writes or reads.
var deniedSteps = func() []string {
	steps := []string{
		"SET a 1", "GET b", "PING", "PUBLISH a b", "EXPIRE b 100", "DEL nosuch", "CONFIG SET maxclients 1000", "SCRIPT LOAD \"return 1\"",
		"FUNCTION FLUSH", "WATCH b", "UNWATCH", "BLPOP nosuch 0.01", "XREADGROUP GROUP g c STREAMS s >", "INCR b", "COMMAND COUNT",
		"SUBSCRIBE x", "UNSUBSCRIBE x", "PFCOUNT h", "RESTORE z 0 x", "SORT l STORE m", "MIGRATE 127.0.0.1 1 nosuch 0 10",
	}
	scripts := []string{
		"EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0", "EVALSHA 0000000000000000000000000000000000000000 0",
	}
	for _, flags := range []string{"", "#!lua\n", "#!lua flags=no-writes\n", "#!lua flags=allow-oom\n", "#!lua flags=allow-stale\n",
		"#!lua flags=no-writes,allow-stale\n", "#!lua flags=allow-oom,allow-stale\n"} {
		for _, body := range []string{"return redis.call('set','x',1)", "return redis.pcall('set','x',1)", "return redis.call('get','b')",
			"return redis.call('ping')", "return redis.call('publish','a','b')", "return 1"} {
			for _, command := range []string{"EVAL", "EVAL_RO"} {
				scripts = append(scripts, fmt.Sprintf(`%s %s 0`, command, quoting.Append(nil, flags+body)))
			}
		}
	}
	for _, function := range []string{"w", "r", "s", "o", "ws", "nosuch"} {
		scripts = append(scripts, "FCALL "+function+" 0", "FCALL_RO "+function+" 0")
	}
	for _, x := range append(scripts, "SET a 1", "GET b", "PING", "PUBLISH a b") {
		steps = append(steps, x, "MULTI", x, "EXEC")
	}
	return append(steps, "RESET")
}()

// TestFilesOfRedis plays lives of servers and their files: the replies, the log, and how the
// process ends are those of redis-server.
func TestFilesOfRedis(t *testing.T) {
	theirs, ours := bothPrograms(t)
	for _, c := range filesCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			want, wantLog := c.play(t, theirs)
			got, log := c.play(t, ours)
			require.Equal(t, want, got)
			if !c.quiet {
				require.Equal(t, wantLog, log)
			}
		})
	}
}

// play runs the case. Steps are commands for one connection, or: "until TEXT" waits until INFO
// contains TEXT; "mkdir", "rmdir", "rm", "touch" and "write" change a file in the directory.
func (c *filesCase) play(t *testing.T, program string) (transcript, log string) {
	dir := patience.TempDir(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, content := range c.files {
		require.NoError(t, os.MkdirAll(filepath.Dir(at(name)), 0o755))
		if target, ok := strings.CutPrefix(content, "-> "); ok {
			require.NoError(t, os.Symlink(target, at(name)))
		} else if content == "/" {
			require.NoError(t, os.Mkdir(at(name), 0o755))
		} else {
			require.NoError(t, os.WriteFile(at(name), []byte(content), 0o644))
		}
	}
	port := redistest.HeldPort(t)
	cmd := exec.Command(program, append([]string{"--port", port, "--bind", "127.0.0.1", "--dir", dir}, c.args...)...)
	out, err := os.Create(at("log"))
	require.NoError(t, err)
	defer out.Close()
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, out, out
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	defer cmd.Process.Kill()
	var b strings.Builder
	conn := c.connect(t, "127.0.0.1:"+port, ended)
	if conn != nil && len(c.steps) > 0 {
		defer conn.Close()
		d := resp.NewDecoder(conn)
		do := func(args ...string) (reply.Value, error) {
			if _, err := conn.Write(resp.AppendCommand(nil, args...)); err != nil {
				return reply.Value{}, err
			}
			return d.Decode()
		}
		require.NoError(t, patience.Try(func() error {
			if log := readFile(at("log")); !strings.Contains(log, "Ready to accept connections") {
				return fmt.Errorf("the log is:\n%s", log)
			}
			return nil
		}))
		for _, step := range c.steps {
			word, rest, _ := strings.Cut(step, " ")
			switch word {
			case "until":
				require.NoError(t, patience.Try(func() error {
					v, err := do("INFO", "persistence")
					if err == nil && !strings.Contains(v.Text(), rest) {
						err = fmt.Errorf("no %s in %s\n%s", rest, v.Text(), readFile(at("log")))
					}
					return err
				}), "after %s\nthe log:\n%s", &b, readFile(at("log")))
			case "mkdir":
				require.NoError(t, os.Mkdir(at(rest), 0o755))
			case "rmdir", "rm":
				require.NoError(t, os.Remove(at(rest)))
			case "touch":
				require.NoError(t, os.WriteFile(at(rest), nil, 0o644))
			case "write":
				name, content, _ := strings.Cut(rest, " ")
				require.NoError(t, os.WriteFile(at(name), []byte(content), 0o644))
			default:
				args, ok := quoting.Words(step)
				require.True(t, ok, step)
				v, err := do(args...)
				fmt.Fprintf(&b, "%s\n  %s\n", step, strings.ReplaceAll(c.show(v, err), dir, "DIR"))
			}
		}
		if !c.ends() {
			_ = cmd.Process.Signal(os.Interrupt)
		}
	}
	_ = patience.Receive(t, ended, "does not end") // the exit code says how it ended
	fmt.Fprintf(&b, "exit code %d\n", cmd.ProcessState.ExitCode())
	return b.String(), strings.NewReplacer(dir, "DIR", port, "PORT").Replace(c.plainLog(readFile(at("log"))))
}

// ends reports whether the last step ends the server.
func (c *filesCase) ends() bool {
	return strings.HasPrefix(c.steps[len(c.steps)-1], "SHUTDOWN")
}

// connect returns a connection, or nil if the server has ended.
func (c *filesCase) connect(t *testing.T, addr string, ended chan error) net.Conn {
	var conn net.Conn
	patience.Until(t, func() bool {
		select {
		case err := <-ended:
			ended <- err
			return true
		default:
		}
		var err error
		conn, err = net.Dial("tcp", addr)
		return err == nil
	}, "does not start")
	return conn
}

func (c *filesCase) show(v reply.Value, err error) string {
	if err != nil {
		return "the connection ends"
	}
	if list := v.Slice(); list != nil {
		var b strings.Builder
		for _, x := range list {
			b.WriteString(c.show(x, nil) + ", ")
		}
		return "[" + b.String() + "]"
	}
	if v.Kind() == reply.KindInt && v.Text() > "1700000000" && v.Text() < "2000000000" { // LASTSAVE
		return "a time"
	}
	return fmt.Sprint(v.Kind(), " ", v.Text())
}

var (
	// Lines of child processes, which this program has none of, and of the check that Redis makes of
	// a damaged dump; and lines that only this program writes.
	onlyTheirs = regexp.MustCompile(`(?m)^(C |\[|--- RDB ERROR|M # (Internal error in RDB|Wrong RDB checksum)).*\n`)
	onlyOurs   = regexp.MustCompile(`(?m)^M # (redmoon: |RDB CRC error).*\n`)
	// A background save logs these from its own process.
	linesOfChild = regexp.MustCompile(`(?m)^(M \* Background saving started .*\n)M . (DB saved on disk|Error moving .*)\n`)
	// Redis gives the first incremental file its name later.
	incrNames  = regexp.MustCompile(`(?m)^M \* (Creating AOF incr file|Successfully renamed the temporary AOF incr file).*\n`)
	variable   = regexp.MustCompile(`(seconds|memory usage when created|RDB age|by pid|temp-\w+-(bg-)?|temp-)\D?[0-9.]+`)
	seconds    = regexp.MustCompile(`[0-9.]+ seconds`)
	interrupts = regexp.MustCompile(`(?m)^signal-handler .*\n`)
)

// plainLog takes from a log what differs between two runs.
func (c *filesCase) plainLog(log string) string {
	log = withoutTimes(log)
	log = linesOfChild.ReplaceAllString(log, "$1")
	for _, lines := range []*regexp.Regexp{onlyTheirs, onlyOurs, incrNames, interrupts} {
		log = lines.ReplaceAllString(log, "")
	}
	return seconds.ReplaceAllString(variable.ReplaceAllString(log, "$1 N"), "N seconds")
}
