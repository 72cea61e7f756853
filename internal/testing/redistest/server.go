package redistest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/resp"
)

// Version is the version of redis-server whose behaviour is Redmoon's specification.
const Version = "7.0.15"

// ErrAbsent is returned where there is no redis-server on the PATH, or one of another version.
var ErrAbsent = errors.New("no redis-server of the right version")

// Find returns the path of redis-server. The error wraps [ErrAbsent].
func Find() (string, error) {
	bin, err := exec.LookPath("redis-server")
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrAbsent, err)
	}
	return bin, Check(bin, Version)
}

// Check returns an error that wraps [ErrAbsent] if the redis-server at a path has another version.
func Check(bin, version string) error {
	out, err := exec.Command(bin, "--version").Output()
	if err != nil || !strings.Contains(string(out), " v="+version+" ") {
		return fmt.Errorf("%w: %s is %q, not version %s", ErrAbsent, bin, out, version)
	}
	return nil
}

// Need skips a test where there is no redis-server, or where REDMOON_ORACLE is "off". In continuous
// integration (CI is "true"), and where REDMOON_ORACLE is "require", the test fails instead.
func Need(t testing.TB) {
	t.Helper()
	how := os.Getenv("REDMOON_ORACLE")
	if how == "off" {
		t.Skip("REDMOON_ORACLE is off")
	}
	if _, err := Find(); err != nil {
		if how == "require" || os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}

// Oracles is the environment variable that names the folder of the servers of other versions, which
// .ci/oracles fills. LaterVersion is the version of the redis-server there that most tests of later
// commands use.
const (
	Oracles      = "REDMOON_ORACLES"
	LaterVersion = "8.0.2"
)

// Program returns the path of a server in the folder of [Oracles], such as "valkey-8.1". The error
// wraps [ErrAbsent].
func Program(name string) (string, error) {
	folder := os.Getenv(Oracles)
	if folder == "" {
		return "", fmt.Errorf("%w: %s is not set", ErrAbsent, Oracles)
	}
	path := filepath.Join(folder, name+"-server")
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%w: %w", ErrAbsent, err)
	}
	return path, nil
}

// Later returns the path of the redis-server of [LaterVersion]. The error wraps [ErrAbsent].
func Later() (string, error) {
	bin, err := Program("redis-8.0")
	if err != nil {
		return "", err
	}
	return bin, Check(bin, LaterVersion)
}

// NeedLater returns the path of the later redis-server. It skips a test where the environment names
// none; in continuous integration the test fails instead.
func NeedLater(t testing.TB) string {
	t.Helper()
	bin, err := Later()
	needPresent(t, err)
	return bin
}

// NeedServer is NeedLater for another server in the folder of [Oracles], such as "valkey-8.1".
func NeedServer(t testing.TB, name string) string {
	t.Helper()
	bin, err := Program(name)
	needPresent(t, err)
	return bin
}

// needPresent ends a test if err says that a server is absent.
func needPresent(t testing.TB, err error) {
	t.Helper()
	if err != nil && os.Getenv("CI") == "true" && os.Getenv("REDMOON_ORACLE") != "off" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skip(err)
	}
}

// NeedProgram returns the path of a program. It skips a test where it is not installed; in
// continuous integration the test fails instead.
func NeedProgram(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skip(err)
	}
	return path
}

// Server is a redis-server process. Its methods are for one goroutine.
type Server struct {
	// Addr is its address, host:port.
	Addr string
	// Dir is its working directory, which is its own.
	Dir string

	cmd     *exec.Cmd
	args    []string
	release func()         // the port
	leash   io.WriteCloser // the process ends when this is closed, or when we end
	ended   func() bool    // whether the process has ended
}

// Leashed is a program of sh that runs its arguments for as long as standard input stays open. $0
// is the folder of the process, which is removed at the end unless a line "keep" was read. Only the
// process keeps file 3, if there is one: by it [Leash] notices when the process has ended.
const Leashed = `"$@" >/dev/null 2>&1 & pid=$!; exec 3>&-; word=; ` +
	`while read -r word; do :; [ "$word" = keep ] && break; done; kill -9 $pid; wait $pid; [ "$word" = keep ] || rm -rf "$0"`

// Start starts the redis-server of [Version] without persistence, with further arguments args.
// The error wraps [ErrAbsent] where there is none.
func Start(args ...string) (*Server, error) {
	bin, err := Find()
	if err != nil {
		return nil, err
	}
	return StartBinary(bin, args...)
}

// StartBinary starts the redis-server at a path.
func StartBinary(bin string, args ...string) (*Server, error) {
	return OnFreePort(func(port string) (*Server, error) { return start(bin, port, args) })
}

// AnyPort is an argument of a server that stands for a free port.
const AnyPort = "@any port"

// OnFreePort calls start with free ports until it does not fail with [ErrEnded]: somebody else may
// take a port between our finding it and the use of it.
func OnFreePort[T any](start func(port string) (T, error)) (T, error) {
	var s T
	var err error
	for range tries {
		var port string
		if port, err = FreePort(); err != nil {
			return s, err
		}
		if s, err = start(port); !errors.Is(err, ErrEnded) {
			return s, err
		}
	}
	return s, err
}

// tries is how many ports are tried, and how often one that a server had before it was killed.
const tries = 20

// ErrEnded is the error of a server that ended before it served, as it does where it cannot have
// its port.
var ErrEnded = errors.New("the server ended at its start")

// onPort makes a Server that holds its port and has a folder.
func onPort(port string) (*Server, error) {
	release, free := Hold(port)
	if !free {
		return nil, fmt.Errorf("%w: port %s is taken", ErrEnded, port)
	}
	dir, err := os.MkdirTemp("", "redis")
	if err != nil {
		release()
		return nil, err
	}
	return &Server{Addr: net.JoinHostPort("127.0.0.1", port), Dir: dir, release: release}, nil
}

// discard gives up what onPort took.
func (s *Server) discard() {
	os.RemoveAll(s.Dir)
	s.release()
}

func start(bin, port string, args []string) (_ *Server, err error) {
	s, err := onPort(port)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.discard()
		}
	}()
	args = slices.Clone(args)
	for i, a := range args {
		if a == AnyPort {
			if args[i], err = FreePort(); err != nil {
				return nil, err
			}
		}
	}
	s.args = append([]string{"-c", Leashed, s.Dir, bin, "--port", port, "--bind", "127.0.0.1", "--dir", s.Dir,
		"--save", "", "--appendonly", "no", "--enable-debug-command", "yes"}, args...)
	return s, s.run()
}

// run starts the process and returns when it answers.
func (s *Server) run() error {
	if err := s.spawn(); err != nil {
		return err
	}
	if err := s.await(); err != nil {
		s.end()
		return err
	}
	return nil
}

// spawn starts the process.
func (s *Server) spawn() (err error) {
	s.cmd = exec.Command("sh", s.args...)
	s.cmd.Env = append(os.Environ(), "LC_ALL=C") // SORT ALPHA compares as the locale does
	s.leash, s.ended, err = Leash(s.cmd)
	return err
}

// Leash starts a command that runs [Leashed]. The process ends when leash is closed, or when we
// end. ended reports whether it has ended, of itself too.
func Leash(cmd *exec.Cmd) (leash io.WriteCloser, ended func() bool, err error) {
	if leash, err = cmd.StdinPipe(); err != nil {
		return nil, nil, err
	}
	alive, open, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	cmd.ExtraFiles = []*os.File{open}
	err = cmd.Start()
	open.Close()
	if err != nil {
		alive.Close()
		return nil, nil, err
	}
	return leash, func() bool {
		// One that has passed already would end the read before it begins.
		_ = alive.SetReadDeadline(time.Now().Add(time.Millisecond))
		_, err := alive.Read(make([]byte, 1))
		return !errors.Is(err, os.ErrDeadlineExceeded) // else nobody has the other end open
	}, nil
}

// await waits until the server serves what it has saved and checks that it is the process that we
// started.
func (s *Server) await() error {
	return s.until(func() error {
		v, err := s.Do("CONFIG", "GET", "dir")
		if err != nil {
			return err
		}
		if dir := v.Strings(); !slices.Contains(dir, s.Dir) {
			return errors.New("another server has the port")
		}
		_, err = s.Do("DBSIZE") // CONFIG answers while what was saved is still being read
		return err
	})
}

// until calls f until it returns nil. The error wraps [ErrEnded] if the process ends before.
func (s *Server) until(f func() error) error {
	return UnlessEnded(s.ended, func() error {
		if err := f(); err != nil {
			return fmt.Errorf("redis-server on %s: %w", s.Addr, err)
		}
		return nil
	})
}

// UnlessEnded calls f until it returns nil. The error wraps [ErrEnded] if ended, which [Leash] has
// returned, says so before.
func UnlessEnded(ended func() bool, f func() error) error {
	var last error
	if err := patience.Try(func() error {
		if last = f(); last == nil {
			return nil
		}
		if ended() {
			last = fmt.Errorf("%w: %w", ErrEnded, last)
			return nil
		}
		return last
	}); err != nil {
		return err
	}
	return last
}

// Do runs one command on a connection of its own. An error reply is an error.
func (s *Server) Do(args ...string) (engine.Value, error) {
	nc, err := net.DialTimeout("tcp", s.Addr, patience.Limit)
	if err != nil {
		return engine.Value{}, err
	}
	defer nc.Close()
	_ = nc.SetDeadline(patience.Deadline())
	if _, err := nc.Write(resp.AppendCommand(nil, args...)); err != nil {
		return engine.Value{}, err
	}
	v, err := resp.NewDecoder(bufio.NewReader(nc)).Decode()
	if err != nil {
		return engine.Value{}, err
	}
	return v, v.Err()
}

// Kill ends the process immediately, as kill -9 does. Its folder stays, for [Server.Restart].
func (s *Server) Kill() {
	s.end()
}

// end ends the process. Its folder stays.
func (s *Server) end() {
	_, _ = io.WriteString(s.leash, "keep\n")
	_ = s.cmd.Wait() // it was killed: the exit status says nothing
	s.leash.Close()
}

// Restart starts a killed server again, on the same port and in the same folder. redis-check-aof
// first removes an incomplete transaction from the end of its append-only file. The server itself
// would remove only an incomplete command, keep the part of the transaction before it, and run that
// part at the start after the next (valkey-io/valkey#4342 describes it).
func (s *Server) Restart() error {
	manifests, err := filepath.Glob(filepath.Join(s.Dir, "*", "*.manifest"))
	if err != nil {
		return err
	}
	bin, err := Find()
	if err != nil {
		return err
	}
	for _, m := range manifests {
		check := exec.Command(bin, "--fix", m)
		check.Args[0] = "redis-check-aof" // redis-server is that program under this name
		check.Stdin = strings.NewReader("y\n")
		if out, err := check.CombinedOutput(); err != nil {
			return fmt.Errorf("redis-check-aof: %w\n%s", err, out)
		}
	}
	return s.Resume()
}

// Resume starts a killed server again, on the same port and in the same folder, whose files stay as
// they are.
func (s *Server) Resume() (err error) {
	for range tries { // somebody else may have the port for a moment
		if err = s.run(); !errors.Is(err, ErrEnded) {
			return err
		}
	}
	return err
}

// Stop ends the process, killed or not, and removes its folder.
func (s *Server) Stop() {
	s.leash.Close()
	_ = s.cmd.Wait()
	s.discard()
}
