package redistest

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// StartSentinel starts a Sentinel that alone watches a master, under a name: after so much silence
// it makes a replica the master. Its Restart does not work.
func StartSentinel(name string, master *Server, silence time.Duration) (*Server, error) {
	bin, err := Find()
	if err != nil {
		return nil, err
	}
	port, err := FreePort()
	if err != nil {
		return nil, err
	}
	s := &Server{Addr: net.JoinHostPort("127.0.0.1", port)}
	if s.Dir, err = os.MkdirTemp("", "redis"); err != nil {
		return nil, err
	}
	host, masterPort, err := net.SplitHostPort(master.Addr)
	if err != nil {
		return nil, err
	}
	conf := filepath.Join(s.Dir, "sentinel.conf")
	text := fmt.Sprintf("port %s\nbind 127.0.0.1\ndir %s\nsentinel monitor %s %s %s 1\nsentinel down-after-milliseconds %s %s\nsentinel "+
		"failover-timeout %s 3000\n",
		port, s.Dir, name, host, masterPort, name, strconv.FormatInt(silence.Milliseconds(), 10), name)
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		return nil, err
	}
	s.args = []string{"-c", Leashed, s.Dir, bin, conf, "--sentinel"}
	if err := s.spawn(); err != nil {
		return nil, err
	}
	if err := Poll(10*time.Second, func() error {
		_, err := s.Do("PING")
		return err
	}); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}
