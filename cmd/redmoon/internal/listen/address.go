package listen

import (
	"context"
	"errors"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/redmoon-lua/redmoon/internal/base/files"
)

// address is an address of the parameter bind.
type address struct {
	network, host string
	shown         string // in the log
	optional      bool   // ignored if this machine does not have it
}

// addresses parses the parameter bind.
func addresses(bind string) []address {
	var all []address
	for _, word := range strings.Fields(bind) {
		host, optional := strings.CutPrefix(word, "-")
		a := address{network: "tcp4", host: host, shown: host, optional: optional}
		switch {
		case host == "*":
			a.host = "0.0.0.0"
		case host == "::*":
			a.network, a.host = "tcp6", "::"
		case strings.Contains(host, ":"):
			a.network = "tcp6"
		}
		all = append(all, a)
	}
	return all
}

// absent are the errors of a machine without the protocol; such addresses are passed over.
var absent = []error{syscall.ENOPROTOOPT, syscall.EPROTONOSUPPORT, syscall.EAFNOSUPPORT}

// tcp opens a listener for each address that this machine has. port 0 is a free one.
func (s *Set) tcp(bind string, port int) (all []net.Listener, err error) {
	for _, a := range addresses(bind) {
		config := net.ListenConfig{KeepAlive: -1, Control: control(s.config.Mark)}
		l, err := config.Listen(context.Background(), a.network, net.JoinHostPort(a.host, strconv.Itoa(port)))
		if err == nil {
			setBacklog(l, s.config.Backlog)
			port = l.Addr().(*net.TCPAddr).Port
			all = append(all, l)
			continue
		}
		s.log.Warn("Warning: Could not create server TCP listening socket " + a.shown + ":" + strconv.Itoa(port) + ": " + reason(err))
		if a.optional && errors.Is(err, syscall.EADDRNOTAVAIL) || isAny(err, absent) {
			continue
		}
		closeAll(all)
		return nil, err
	}
	return all, nil
}

func isAny(err error, targets []error) bool {
	for _, t := range targets {
		if errors.Is(err, t) {
			return true
		}
	}
	return false
}

// reason words an error of a listener as Redis does.
func reason(err error) string {
	var name *net.DNSError
	if errors.As(err, &name) {
		return "Name or service not known"
	}
	var call *os.SyscallError
	if errors.As(err, &call) {
		return call.Syscall + ": " + files.Strerror(call.Err)
	}
	return err.Error()
}

func closeAll(all []net.Listener) {
	for _, l := range all {
		_ = l.Close()
	}
}
