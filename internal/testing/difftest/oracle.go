package difftest

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
)

// OracleVersion is the version of redis-server whose behaviour is Redmoon's specification.
const OracleVersion = redistest.Version

// LaterVersion is the version of redis-server that the case files of later Redis are compared with.
const LaterVersion = redistest.LaterVersion

// ErrNoOracle is returned by StartOracle when there is no redis-server on the PATH, or one of
// another version.
var ErrNoOracle = redistest.ErrAbsent

// Oracle is a redis-server process of our own on a loopback port.
type Oracle struct {
	// Addr is its TCP address.
	Addr string

	server *redistest.Server
	admin  *NetConn
	config map[string]string // as it was at the start

	cluster *cluster // nil unless it is in cluster mode
	renamed bool     // it is Redict, whose replies are shown as those of Redis
}

// StartOracle starts a server. The error wraps [ErrNoOracle] when the machine has none.
func StartOracle() (*Oracle, error) {
	bin, err := redistest.Find()
	if err != nil {
		return nil, err
	}
	return startOracle(bin)
}

// StartLater starts the server of the later version, which the environment names. The error wraps
// [ErrNoOracle] when it names none.
func StartLater() (*Oracle, error) {
	bin, err := redistest.Later()
	if err != nil {
		return nil, err
	}
	return startOracle(bin)
}

func startOracle(bin string, more ...string) (*Oracle, error) {
	server, err := redistest.StartBinary(bin, more...)
	if err != nil {
		return nil, err
	}
	o := &Oracle{Addr: server.Addr, server: server}
	if err := o.connect(); err != nil {
		o.Stop()
		return nil, err
	}
	return o, nil
}

func (o *Oracle) connect() error {
	c, err := net.Dial("tcp", o.Addr)
	if err != nil {
		return err
	}
	o.admin = NewNetConn(c)
	o.config, err = o.readConfig()
	return err
}

// Stop ends the server.
func (o *Oracle) Stop() {
	if o.admin != nil {
		o.admin.Close()
	}
	o.server.Stop()
}

// lives returns an error if the server has ended, as one that has crashed.
func (o *Oracle) lives() error {
	raw, err := o.admin.Do([]string{"PING"})
	if err == nil && string(raw) == Closed {
		err = errors.New("the server has ended")
	}
	return err
}

// Reset brings the server back to its state at the start: no keys, no scripts, no users but the
// default one, the configuration as it was, counters at zero.
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
	if o.renamed {
		return redisConn{NewNetConn(c)}, nil
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
