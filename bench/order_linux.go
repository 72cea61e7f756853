package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/redmoon-lua/redmoon/resp"
)

// orderTries is the number of pairs of requests for each gap.
const orderTries = 3000

// orderGaps are the times between the two requests of a pair.
var orderGaps = []time.Duration{0, 30 * time.Microsecond, 60 * time.Microsecond, 120 * time.Microsecond, 250 * time.Microsecond}

// runOrder sends SET on one connection and, without waiting for its reply, GET of the same key on
// another. It counts the pairs whose GET was served first.
func runOrder(options) error {
	ports, stop, err := startBoth()
	defer stop()
	if err != nil {
		return err
	}
	tw := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(tw, "wrong order of 3,000")
	for _, name := range both {
		fmt.Fprintf(tw, "\t%s", name)
	}
	fmt.Fprintln(tw, "\t")
	for _, gap := range orderGaps {
		fmt.Fprintf(tw, "%v apart", gap)
		for _, name := range both {
			n, err := inversions(ports[name], gap)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			fmt.Fprintf(tw, "\t%d", n)
		}
		fmt.Fprintln(tw, "\t")
	}
	return tw.Flush()
}

// inversions counts the pairs in the wrong order. One thread sends all requests by system calls, so
// that the kernel receives them in the intended order.
func inversions(port int, gap time.Duration) (n int, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var fds [2]int
	for i := range fds {
		if fds[i], err = rawDial(port); err != nil {
			return 0, err
		}
		defer syscall.Close(fds[i])
	}
	buf := make([]byte, 64)
	for i := range orderTries {
		value := strconv.Itoa(1_000_000 + i)
		set, get := resp.AppendCommand(nil, "SET", "order", value), resp.AppendCommand(nil, "GET", "order")
		if err := rawWrite(fds[0], set); err != nil {
			return 0, err
		}
		for until := time.Now().Add(gap); gap > 0 && time.Now().Before(until); {
		}
		if err := rawWrite(fds[1], get); err != nil {
			return 0, err
		}
		got, err := rawRead(fds[1], buf)
		if err != nil {
			return 0, err
		}
		if got != "$7\r\n"+value+"\r\n" {
			n++
		}
		if got, err = rawRead(fds[0], buf); err != nil || got != "+OK\r\n" {
			return 0, fmt.Errorf("SET: %q, %w", got, err)
		}
	}
	return n, nil
}

func rawDial(port int) (fd int, err error) {
	if fd, err = syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0); err != nil {
		return 0, err
	}
	if err = syscall.Connect(fd, &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}); err == nil {
		err = syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1)
	}
	return fd, err
}

func rawWrite(fd int, b []byte) error {
	n, err := syscall.Write(fd, b)
	if err == nil && n < len(b) {
		err = errors.New("short write")
	}
	return err
}

// rawRead reads a reply that is short enough to arrive in one piece.
func rawRead(fd int, buf []byte) (string, error) {
	n, err := syscall.Read(fd, buf)
	return string(buf[:max(n, 0)]), err
}
