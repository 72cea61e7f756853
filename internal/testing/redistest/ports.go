package redistest

import (
	"context"
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// busOffset is how much higher the port of a server's cluster bus is.
const busOffset = 10_000

// FreePort finds a port that nobody listens on. It, and the port of a cluster bus that is 10,000
// higher, is below those from which systems choose the ports of clients: a client that tries to
// connect again and again, before a server listens, would otherwise connect to itself sooner or
// later, and keep the port from the server.
func FreePort() (string, error) {
	const lowest, end = 10_000, 32_768 - busOffset
	var err error
	for range 100 {
		port := strconv.Itoa(lowest + rand.IntN(end-lowest))
		if err = isFree(":" + port); err == nil {
			return port, nil
		}
	}
	return "", err
}

// DeadPort returns a port of 127.0.0.1 on which nobody listens until the test ends: a connection
// has it as its own end, so nobody else can have it.
func DeadPort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	for range tries {
		var port string
		if port, err = FreePort(); err != nil {
			break
		}
		var own *net.TCPAddr
		if own, err = net.ResolveTCPAddr("tcp", "127.0.0.1:"+port); err != nil {
			break
		}
		var c net.Conn
		if c, err = (&net.Dialer{LocalAddr: own}).Dial("tcp", l.Addr().String()); err == nil {
			t.Cleanup(func() { c.Close() })
			return port
		}
	}
	t.Fatal(err)
	return ""
}

// Hold keeps a port of 127.0.0.1, and the port of its cluster bus, for the caller: [FreePort]
// returns it to nobody until release is called, also while the caller's server is down. ok is false
// if somebody has one of them. Only on Linux has this an effect.
func Hold(port string) (release func(), ok bool) {
	n, err := strconv.Atoi(port)
	if err != nil {
		return nil, false
	}
	own, err := bind(n)
	if err != nil {
		return nil, false
	}
	bus, err := bind(n + busOffset)
	if err != nil {
		own()
		return nil, false
	}
	return func() { own(); bus() }, true
}

// HeldPort returns a port that [Hold] keeps until the test ends.
func HeldPort(t testing.TB) string {
	t.Helper()
	for range 1000 {
		port, err := FreePort()
		if err != nil {
			t.Fatal(err)
		}
		if release, ok := Hold(port); ok {
			t.Cleanup(release)
			return port
		}
	}
	t.Fatal("no port is free")
	return ""
}

func isFree(addr string) error {
	l, err := (&net.ListenConfig{Control: unshared}).Listen(context.Background(), "tcp", addr)
	if err != nil {
		return err
	}
	return l.Close()
}
