package difftest

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// OracleVersion is the version of redis-server whose behaviour is Redmoon's specification.
const OracleVersion = "7.0.15"

// LaterVersion is the version of redis-server that the case files of later Redis are compared with, and LaterBinary the environment
// variable that names its binary.
const (
	LaterVersion = "8.0.2"
	LaterBinary  = "REDMOON_ORACLE8"
)

// ErrNoOracle is returned by StartOracle when there is no redis-server on the PATH, or one of another version.
var ErrNoOracle = errors.New("no redis-server of the right version")

// Oracle is a redis-server process of our own on a loopback port.
type Oracle struct {
	// Addr is its TCP address.
	Addr string

	cmd    *exec.Cmd
	leash  io.Closer // the process ends when this is closed, or when we end
	dir    string
	admin  *NetConn
	config map[string]string // as it was at the start

	cluster *cluster // nil unless it is in cluster mode
}

// leashed runs a server for as long as standard input stays open, so that it never outlives the tests,
// however they end. $0 is its folder.
const leashed = `"$@" >/dev/null 2>&1 & pid=$!; cat >/dev/null; kill -9 $pid; wait $pid; rm -rf "$0"`

// StartOracle starts a server. The error wraps [ErrNoOracle] when the machine has none.
func StartOracle() (*Oracle, error) {
	bin, err := exec.LookPath("redis-server")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoOracle, err)
	}
	return startVersion(bin, OracleVersion, startPlain)
}

// StartLater starts the server of the later version, which the environment names. The error wraps [ErrNoOracle] when it names none.
func StartLater() (*Oracle, error) {
	bin := os.Getenv(LaterBinary)
	if bin == "" {
		return nil, fmt.Errorf("%w: %s is not set", ErrNoOracle, LaterBinary)
	}
	return startVersion(bin, LaterVersion, startPlain)
}

func startPlain(bin string) (*Oracle, error) { return startOracle(bin) }

func startVersion(bin, version string, start func(bin string) (*Oracle, error)) (*Oracle, error) {
	out, err := exec.Command(bin, "--version").Output()
	if err != nil || !strings.Contains(string(out), " v="+version+" ") {
		return nil, fmt.Errorf("%w: %s is %q, not version %s", ErrNoOracle, bin, out, version)
	}
	for range 5 { // the port may be taken between finding and using it
		var o *Oracle
		if o, err = start(bin); err == nil {
			return o, nil
		}
	}
	return nil, err
}

// freePort finds a port that nobody listens on.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port), nil
}

func startOracle(bin string, more ...string) (*Oracle, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	o := &Oracle{Addr: net.JoinHostPort("127.0.0.1", port)}
	if o.dir, err = os.MkdirTemp("", "oracle"); err != nil {
		return nil, err
	}
	o.cmd = exec.Command("sh", append([]string{"-c", leashed, o.dir, bin, "--port", port, "--bind", "127.0.0.1", "--dir", o.dir,
		"--save", "", "--appendonly", "no", "--enable-debug-command", "yes"}, more...)...)
	o.cmd.Env = append(os.Environ(), "LC_ALL=C") // SORT ALPHA compares as the locale does
	if o.leash, err = o.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := o.cmd.Start(); err != nil {
		return nil, err
	}
	if err := o.connect(); err != nil {
		o.Stop()
		return nil, err
	}
	return o, nil
}

// connect waits until the server answers and makes sure that it is ours.
func (o *Oracle) connect() error {
	deadline := time.Now().Add(10 * time.Second)
	for {
		c, err := net.Dial("tcp", o.Addr)
		if err == nil {
			o.admin = NewNetConn(c)
			break
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("redis-server on %s: %w", o.Addr, err)
		}
		time.Sleep(5 * time.Millisecond) // a process's start is nothing that can be waited for otherwise
	}
	var err error
	if o.config, err = o.readConfig(); err != nil {
		return err
	}
	if o.config["dir"] != o.dir {
		return fmt.Errorf("another server took the port %s", o.Addr)
	}
	return nil
}

// Stop ends the server.
func (o *Oracle) Stop() {
	if o.admin != nil {
		o.admin.Close()
	}
	o.leash.Close()
	_ = o.cmd.Wait() // it was killed: the exit status says nothing
}

// Reset brings the server back to its state at the start: no keys, no scripts, no users but the default one, the
// configuration as it was, counters at zero.
func (o *Oracle) Reset() error {
	if o.cluster != nil {
		if err := o.renew(); err != nil {
			return err
		}
	}
	for _, line := range []string{"FLUSHALL SYNC", "SCRIPT FLUSH SYNC", "FUNCTION FLUSH SYNC", "DEBUG SET-ACTIVE-EXPIRE 1",
		"DEBUG SET-DISABLE-DENY-SCRIPTS 0", "DEBUG SET-SKIP-CHECKSUM-VALIDATION 0", "DEBUG QUICKLIST-PACKED-THRESHOLD 0",
		"ACL SETUSER default on nopass allkeys allchannels allcommands clearselectors", "ACL LOG RESET"} {
		raw, err := o.admin.Do(strings.Fields(line))
		if err != nil || string(raw) != "+OK\r\n" {
			return fmt.Errorf("oracle: %s: %q %w", line, raw, err)
		}
	}
	if err := o.dropUsers(); err != nil {
		return err
	}
	now, err := o.readConfig()
	if err != nil {
		return err
	}
	for name, value := range o.config {
		if now[name] == value {
			continue
		}
		if raw, err := o.admin.Do([]string{"CONFIG", "SET", name, value}); err != nil || raw[0] != '+' {
			return fmt.Errorf("oracle: CONFIG SET %s: %q %w", name, raw, err)
		}
	}
	_, err = o.admin.Do([]string{"CONFIG", "RESETSTAT"})
	return err
}

// dropUsers deletes all users but the default one.
func (o *Oracle) dropUsers() error {
	raw, err := o.admin.Do([]string{"ACL", "USERS"})
	if err != nil {
		return err
	}
	users, _, err := parseFrame(raw)
	if err != nil {
		return err
	}
	for _, u := range users.kids {
		if u.text == "default" {
			continue
		}
		if raw, err := o.admin.Do([]string{"ACL", "DELUSER", u.text}); err != nil || raw[0] != ':' {
			return fmt.Errorf("oracle: ACL DELUSER %s: %q %w", u.text, raw, err)
		}
	}
	return nil
}

func (o *Oracle) readConfig() (map[string]string, error) {
	raw, err := o.admin.Do([]string{"CONFIG", "GET", "*"})
	if err != nil {
		return nil, err
	}
	n, _, err := parseFrame(raw)
	if err != nil {
		return nil, err
	}
	m := map[string]string{}
	for i := 0; i+1 < len(n.kids); i += 2 {
		m[n.kids[i].text] = n.kids[i+1].text
	}
	return m, nil
}

// Open implements [Peer].
func (o *Oracle) Open() (Conn, error) {
	c, err := net.Dial("tcp", o.Addr)
	if err != nil {
		return nil, err
	}
	return NewNetConn(c), nil
}

// Pass implements [Peer].
func (o *Oracle) Pass(d time.Duration) { time.Sleep(d) }

// Digest implements [Peer].
func (o *Oracle) Digest() (string, error) {
	raw, err := o.admin.Do([]string{"DEBUG", "DIGEST"})
	return string(raw), err
}
