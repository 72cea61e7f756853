package migrate

import (
	"context"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"
)

// MaxCached is the number of connections that are kept.
const MaxCached = 64

// IdleLimit is the time in seconds after which an unused connection is closed.
const IdleLimit = 10

// Sockets are the connections of one server. Make it with [New].
type Sockets struct {
	dial   func(ctx context.Context, network, address string) (net.Conn, error)
	ctx    context.Context // ends when nothing may wait for a target any more
	stop   context.CancelFunc
	cached map[string]*Socket

	mu          sync.Mutex // guards what follows
	interrupted bool
	cancel      context.CancelFunc // of the connecting, or nil
	current     *Socket            // the one that Get has returned last, or nil
}

// New returns a Sockets that connects with dial. If dial is nil, it connects as [net.Dialer] does.
func New(dial func(ctx context.Context, network, address string) (net.Conn, error)) *Sockets {
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	s := &Sockets{dial: dial, cached: map[string]*Socket{}}
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s
}

// Begin begins a use: it ends the effect of an Interrupt.
func (s *Sockets) Begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.interrupted, s.cancel, s.current = false, nil, nil
}

// Interrupt makes what waits for a target now, and until the next Begin, fail immediately. Any
// goroutine may call it.
func (s *Sockets) Interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.interrupted = true
	if s.cancel != nil {
		s.cancel()
	}
	if s.current != nil {
		_ = s.current.nc.Close()
	}
}

// uses notes which socket is used, and returns false after an Interrupt.
func (s *Sockets) uses(k *Socket) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = k
	return !s.interrupted
}

// Get returns the connection to a target. It connects unless there is one, which takes at most
// timeout. now is the time in seconds.
func (s *Sockets) Get(host, port string, timeout time.Duration, now int64) (*Socket, error) {
	name := host + ":" + port
	if k := s.cached[name]; k != nil {
		k.used = now
		if !s.uses(k) {
			return nil, context.Canceled
		}
		return k, nil
	}
	if len(s.cached) >= MaxCached {
		s.Close(s.oldest())
	}
	ctx, cancel := context.WithTimeout(s.ctx, timeout)
	defer cancel()
	s.mu.Lock()
	s.cancel = cancel
	interrupted := s.interrupted
	s.mu.Unlock()
	if interrupted {
		return nil, context.Canceled
	}
	if host == "" {
		return nil, &net.AddrError{Err: "no host", Addr: name} // a Dialer would take the local host
	}
	nc, err := s.dial(ctx, "tcp", net.JoinHostPort(host, portNumber(port)))
	if err != nil {
		return nil, err
	}
	k := newSocket(name, nc, now)
	k.unlink = context.AfterFunc(s.ctx, func() { _ = nc.Close() })
	s.cached[name] = k
	if !s.uses(k) {
		s.Close(k)
		return nil, context.Canceled
	}
	return k, nil
}

// oldest returns the connection that has been unused for the longest time.
func (s *Sockets) oldest() (k *Socket) {
	for _, other := range s.cached {
		if k == nil || other.used < k.used {
			k = other
		}
	}
	return k
}

// portNumber returns the number at the beginning of text, as C's atoi does.
func portNumber(text string) string {
	text = strings.TrimLeft(text, " \t\n\v\f\r")
	sign := ""
	if strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+") {
		sign, text = strings.Trim(text[:1], "+"), text[1:]
	}
	digits := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	if digits >= 0 {
		text = text[:digits]
	}
	n, _ := strconv.ParseUint(text, 10, 64) // no digits: port 0, where nobody listens
	return sign + strconv.FormatUint(n, 10)
}

// Len returns the number of connections that are open.
func (s *Sockets) Len() int { return len(s.cached) }

// Close closes a connection.
func (s *Sockets) Close(k *Socket) {
	if s.cached[k.name] == k {
		delete(s.cached, k.name)
	}
	k.unlink()
	_ = k.nc.Close() // nothing is sent any more
}

// CloseIdle closes the connections that have been unused for more than [IdleLimit] at the time now,
// in seconds. It returns the number of those that remain.
func (s *Sockets) CloseIdle(now int64) (left int) {
	for _, k := range s.cached {
		if now-k.used > IdleLimit {
			s.Close(k)
		}
	}
	return len(s.cached)
}

// CloseAll closes all connections.
func (s *Sockets) CloseAll() {
	for _, k := range s.cached {
		s.Close(k)
	}
}

// Stop makes what waits for a target, now or later, fail immediately. Any goroutine may call it.
func (s *Sockets) Stop() { s.stop() }
