package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/resp"
)

// redisStore is a server started by bench on a unix socket, which gets its commands in pipelines.
type redisStore struct {
	cmd  *exec.Cmd
	dir  string
	conn net.Conn
	r    *bufio.Reader
	buf  []byte
}

// startRedisStore starts redis-server. It returns nil without an error if the PATH has none.
func startRedisStore() (s *redisStore, err error) { return startStore("redis-server") }

// startStore starts redis-server or redmoon. It returns nil without an error if there is no
// redis-server on the PATH.
func startStore(name string) (s *redisStore, err error) {
	s = &redisStore{}
	if s.dir, err = os.MkdirTemp("", "bench"); err != nil {
		return nil, err
	}
	socket := filepath.Join(s.dir, "socket")
	s.cmd = exec.Command(os.Args[0], "-child", "redmoon")
	s.cmd.Env = append(os.Environ(), "BENCH_SOCKET="+socket)
	if name == "redis-server" {
		path, err := exec.LookPath(name)
		if err != nil {
			os.RemoveAll(s.dir)
			return nil, nil
		}
		s.cmd = exec.Command(path, "--save", "", "--appendonly", "no", "--port", "0", "--unixsocket", socket, "--dir", s.dir)
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	for range 200 {
		if s.conn, err = net.Dial("unix", socket); err == nil {
			s.r = bufio.NewReaderSize(s.conn, 1<<16)
			return s, nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	s.stop()
	return nil, err
}

func (s *redisStore) stop() {
	if s.conn != nil {
		s.conn.Close()
	}
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	os.RemoveAll(s.dir)
}

// Run implements [store].
func (s *redisStore) Run(cmds [][]string) error {
	const pipeline = 500
	for len(cmds) > 0 {
		n := min(pipeline, len(cmds))
		s.buf = s.buf[:0]
		for _, args := range cmds[:n] {
			s.buf = resp.AppendCommand(s.buf, args...)
		}
		if _, err := s.conn.Write(s.buf); err != nil {
			return err
		}
		for range n {
			if _, err := s.reply(); err != nil {
				return err
			}
		}
		cmds = cmds[n:]
	}
	return nil
}

// reply reads one reply of RESP2 and returns the text of a bulk string.
func (s *redisStore) reply() (string, error) {
	line, err := s.r.ReadString('\n')
	if err != nil {
		return "", err
	}
	line = strings.TrimSuffix(line, "\r\n")
	switch line[0] {
	case '-':
		return "", errors.New("redis-server: " + line[1:])
	case '$', '*':
		n, err := strconv.Atoi(line[1:])
		if err != nil || n < 0 {
			return "", err
		}
		if line[0] == '*' {
			for range n {
				if _, err := s.reply(); err != nil {
					return "", err
				}
			}
			return "", nil
		}
		text := make([]byte, n+2)
		_, err = io.ReadFull(s.r, text)
		return string(text[:n]), err
	}
	return line, nil
}

// resident returns the bytes of memory that the server's process has (RSS).
func (s *redisStore) resident() (float64, error) {
	out, err := exec.Command("ps", "-o", "rss=", "-p", strconv.Itoa(s.cmd.Process.Pid)).Output()
	if err != nil {
		return 0, fmt.Errorf("ps: %w", err)
	}
	kb, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	return kb * 1024, err
}

// info returns a numeric field of INFO.
func (s *redisStore) info(section, field string) (float64, error) {
	if _, err := s.conn.Write(resp.AppendCommand(nil, "INFO", section)); err != nil {
		return 0, err
	}
	text, err := s.reply()
	if err != nil {
		return 0, err
	}
	return infoField(text, field)
}

// infoField returns a numeric field of a reply of INFO.
func infoField(text, field string) (float64, error) {
	for line := range strings.Lines(text) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), field+":"); ok {
			return strconv.ParseFloat(v, 64)
		}
	}
	return 0, fmt.Errorf("INFO has no %s", field)
}

// processorTime returns the processor time that the server has used.
func (s *redisStore) processorTime() (time.Duration, error) {
	user, err := s.info("cpu", "used_cpu_user")
	if err != nil {
		return 0, err
	}
	sys, err := s.info("cpu", "used_cpu_sys")
	return time.Duration((user + sys) * 1e9), err
}
