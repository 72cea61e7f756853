package redistest

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// StartSentinel starts a Sentinel that watches a master under a name. If quorum Sentinels hear
// nothing from it for the time silence, they promote a replica. Its log is the file log of its Dir.
// Its Restart does not work.
func StartSentinel(name string, master *Server, silence time.Duration, quorum int) (*Server, error) {
	bin, err := Find()
	if err != nil {
		return nil, err
	}
	return OnFreePort(func(port string) (*Server, error) { return startSentinel(bin, port, name, master, silence, quorum) })
}

func startSentinel(bin, port, name string, master *Server, silence time.Duration, quorum int) (_ *Server, err error) {
	s, err := onPort(port)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.discard()
		}
	}()
	host, masterPort, err := net.SplitHostPort(master.Addr)
	if err != nil {
		return nil, err
	}
	conf := filepath.Join(s.Dir, "sentinel.conf")
	text := fmt.Sprintf("port %s\nbind 127.0.0.1\ndir %s\nlogfile log\n"+
		"sentinel monitor %s %s %s %d\nsentinel down-after-milliseconds %s %s\n"+
		"sentinel failover-timeout %s 3000\n",
		port, s.Dir, name, host, masterPort, quorum, name, strconv.FormatInt(silence.Milliseconds(), 10), name)
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		return nil, err
	}
	s.args = []string{"-c", Leashed, s.Dir, bin, conf, "--sentinel"}
	if err := s.spawn(); err != nil {
		return nil, err
	}
	if err := s.until(func() error {
		v, err := s.Do("INFO", "server")
		if err == nil && !strings.Contains(v.Text(), conf) {
			err = errors.New("another server has the port")
		}
		return err
	}); err != nil {
		s.end()
		return nil, err
	}
	return s, nil
}
