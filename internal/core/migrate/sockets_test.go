package migrate_test

import (
	"bufio"
	"context"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/core/migrate"
)

const long = time.Minute

// pipes connects to targets in memory.
type pipes struct {
	targets   []net.Conn
	addresses []string
}

func (p *pipes) dial(_ context.Context, network, address string) (net.Conn, error) {
	here, there := net.Pipe()
	p.targets, p.addresses = append(p.targets, there), append(p.addresses, network+" "+address)
	return here, nil
}

func TestAConnectionIsKeptForEachName(t *testing.T) {
	p := &pipes{}
	s := migrate.New(p.dial)
	a, err := s.Get("host", "6379", long, 100)
	require.NoError(t, err)
	require.EqualValues(t, migrate.NoDB, a.Selected)
	b, err := s.Get("host", "6379x", long, 101)
	require.NoError(t, err)
	require.NotSame(t, a, b)
	again, err := s.Get("host", "6379", long, 105)
	require.NoError(t, err)
	require.Same(t, a, again)
	require.Equal(t, []string{"tcp host:6379", "tcp host:6379"}, p.addresses)
	require.Equal(t, 2, s.CloseIdle(111))
	require.Equal(t, 1, s.CloseIdle(112))
	require.Equal(t, 0, s.CloseIdle(116))
	_, err = p.targets[0].Write([]byte("x"))
	require.Error(t, err)
}

func TestTheOldestConnectionMakesRoom(t *testing.T) {
	p := &pipes{}
	s := migrate.New(p.dial)
	for i := range migrate.MaxCached {
		_, err := s.Get("host", strings.Repeat("0", i), long, int64(1000-i))
		require.NoError(t, err)
	}
	_, err := s.Get("other", "1", long, 2000)
	require.NoError(t, err)
	require.Equal(t, migrate.MaxCached, s.Len())
	_, err = p.targets[migrate.MaxCached-1].Write([]byte("x"))
	require.Error(t, err)
	s.CloseAll()
	require.Zero(t, s.Len())
	_, err = p.targets[0].Write([]byte("x"))
	require.Error(t, err)
}

func TestPortsAreReadAsCDoes(t *testing.T) {
	p := &pipes{}
	s := migrate.New(p.dial)
	for _, port := range []string{"80", " 80x", "+80", "-80", "", "x", "00080"} {
		_, err := s.Get("::1", port, long, 0)
		require.NoError(t, err)
	}
	require.Equal(t, []string{"tcp [::1]:80", "tcp [::1]:80", "tcp [::1]:80", "tcp [::1]:-80", "tcp [::1]:0", "tcp [::1]:0",
		"tcp [::1]:80"}, p.addresses)
	_, err := s.Get("", "80", long, 0)
	require.Error(t, err)
}

func TestLines(t *testing.T) {
	p := &pipes{}
	k, err := migrate.New(p.dial).Get("h", "1", long, 0)
	require.NoError(t, err)
	full := strings.Repeat("x", migrate.MaxLine)
	go func() {
		_, _ = p.targets[0].Write([]byte("+OK\r\nbare\n\r\n" + full + "yz\r\n\n"))
		_ = p.targets[0].Close()
	}()
	for _, want := range []string{"+OK", "bare", "", full, "yz"} {
		line, err := k.ReadLine(long)
		require.NoError(t, err)
		require.Equal(t, want, line)
	}
	_, err = k.ReadLine(long)
	require.EqualError(t, err, "migrate: empty reply")
	_, err = k.ReadLine(long)
	require.Error(t, err)
}

func TestTimeOuts(t *testing.T) {
	p := &pipes{}
	k, err := migrate.New(p.dial).Get("h", "1", long, 0)
	require.NoError(t, err)
	require.ErrorIs(t, k.Write([]byte("x"), time.Millisecond), os.ErrDeadlineExceeded)
	_, err = k.ReadLine(time.Millisecond)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	go func() { _, _ = bufio.NewReader(p.targets[0]).ReadString('!') }()
	require.NoError(t, k.Write([]byte(strings.Repeat("x", 200_000)+"!"), long))
}

func TestStopEndsAWait(t *testing.T) {
	p := &pipes{}
	s := migrate.New(p.dial)
	k, err := s.Get("h", "1", long, 0)
	require.NoError(t, err)
	ended := make(chan error)
	go func() {
		_, err := k.ReadLine(long)
		ended <- err
	}()
	s.Stop()
	require.Error(t, <-ended)
	dials := migrate.New(func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	go func() {
		_, err := dials.Get("h", "1", long, 0)
		ended <- err
	}()
	dials.Stop()
	require.ErrorIs(t, <-ended, context.Canceled)
}
