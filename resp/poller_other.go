//go:build !linux

package resp

import "net"

// poller is used on Linux only. On other systems each connection has a goroutine.
type poller struct{}

type polled struct{}

func (p *poller) stopListening() {}

func (p *poller) stopListeningOn(net.Listener) {}

func (s *Server) listening(net.Listener) (bool, error) { return false, nil }
