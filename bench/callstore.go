package main

import (
	"bufio"
	"net"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/resp"
)

// callStore is an engine served over loopback that gets its commands one at a time, as from a
// client that waits for each reply.
type callStore struct {
	server *resp.Server
	conn   net.Conn
	dec    *resp.Decoder
	buf    []byte
}

func startCallStore(e *engine.Engine) (*callStore, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &callStore{server: resp.NewServer(e, resp.Options{})}
	go func() { _ = s.server.Serve(l) }()
	if s.conn, err = net.Dial("tcp", l.Addr().String()); err != nil {
		s.stop()
		return nil, err
	}
	s.dec = resp.NewDecoder(bufio.NewReader(s.conn))
	return s, nil
}

func (s *callStore) stop() {
	if s.conn != nil {
		s.conn.Close()
	}
	s.server.Close()
}

// Run implements [store].
func (s *callStore) Run(cmds [][]string) error {
	for _, args := range cmds {
		s.buf = resp.AppendCommand(s.buf[:0], args...)
		if _, err := s.conn.Write(s.buf); err != nil {
			return err
		}
		v, err := s.dec.Decode()
		if err == nil {
			err = v.Err()
		}
		if err != nil {
			return err
		}
	}
	return nil
}
