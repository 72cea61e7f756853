package process

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
)

// Supervisor is the program that has started the server and waits for its reports.
type Supervisor struct {
	kind string
	log  *slog.Logger

	mu    sync.Mutex
	ready bool
	later []string // reports that wait until the server is ready
}

// FindSupervisor finds the supervisor that a value of the parameter supervised names, says that the
// server is starting, and logs what is missing. It stops the process where upstart wants it.
func FindSupervisor(kind string, log *slog.Logger) *Supervisor {
	_, job := os.LookupEnv("UPSTART_JOB") // it may be empty, as in Redis
	_, socket := os.LookupEnv("NOTIFY_SOCKET")
	if kind == "auto" {
		switch {
		case job:
			kind = "upstart"
		case socket:
			kind = "systemd"
		}
	}
	s := &Supervisor{kind: kind, log: log}
	switch {
	case kind == "upstart" && !job:
		log.Warn("upstart supervision requested, but UPSTART_JOB not found!")
	case kind == "upstart":
		log.Info("supervised by upstart, will stop to signal readiness.")
		if err := stopSelf(); err != nil {
			log.Warn("upstart supervision error: " + err.Error())
			break
		}
		_ = os.Unsetenv("UPSTART_JOB")
		return s
	case kind == "systemd":
		if s.Report("STATUS=Redis is loading...\n") {
			log.Info("Supervised by systemd. Please make sure you set appropriate values for TimeoutStartSec and TimeoutStopSec in your " +
				"service unit.")
			return s
		}
		return s
	}
	s.kind = "no"
	return s
}

// Kind is "systemd", "upstart" or "no".
func (s *Supervisor) Kind() string { return s.kind }

// reports are what systemd gets after a line of the log.
var reports = map[string]string{
	"User requested shutdown...":                     "STOPPING=1\n",
	"Saving the final RDB snapshot before exiting.":  "STATUS=Saving the final RDB snapshot\n",
	"MASTER <-> REPLICA sync: Finished with success": syncReport + "Finished with success" + readyReport,
	"MASTER <-> REPLICA sync: Master accepted a Partial Resynchronization.": syncReport +
		"Partial Resynchronization accepted" + readyReport,
}

const (
	syncReport  = "STATUS=MASTER <-> REPLICA sync: "
	readyReport = ". Ready to accept connections in read-write mode.\n"
)

// Logged sends systemd what follows for it from a line of the log. A copy of the master may be
// complete before the server is ready: that report follows Ready's.
func (s *Supervisor) Logged(line string) {
	lines := reports[line]
	if lines == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ready && strings.HasPrefix(lines, syncReport) {
		s.later = append(s.later, lines)
		return
	}
	s.Report(lines)
}

// Ready reports that the server can be used, after a line that says in which state it is.
func (s *Supervisor) Ready(status string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready = true
	s.Report(status)
	s.Report("READY=1\n")
	for _, lines := range s.later {
		s.Report(lines)
	}
	s.later = nil
}

// Report sends lines to systemd. It does nothing under another supervisor, or none.
func (s *Supervisor) Report(lines string) bool {
	if s.kind != "systemd" {
		return false
	}
	if err := notify(lines); err != nil {
		s.log.Warn("systemd supervision error: " + err.Error())
		return false
	}
	return true
}

//lint:ignore ST1005 the words of Redis
var errNoSocket = errors.New("NOTIFY_SOCKET not found!")

// notify sends lines to the socket of systemd. A name that begins with @ is in the abstract name
// space of Linux, which package net writes in the same way. The error has the number that
// libsystemd returns.
func notify(lines string) error {
	socket, ok := os.LookupEnv("NOTIFY_SOCKET")
	if !ok {
		return errNoSocket
	}
	err := error(syscall.EINVAL)
	if strings.HasPrefix(socket, "/") || strings.HasPrefix(socket, "@") {
		err = send(socket, lines)
	}
	var number syscall.Errno
	if errors.As(err, &number) {
		return fmt.Errorf("sd_notify: %d", -int(number))
	}
	return err
}

func send(socket, lines string) error {
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Write([]byte(lines))
	return err
}

func errno(err error) string {
	var e syscall.Errno
	if errors.As(err, &e) {
		return e.Error()
	}
	return err.Error()
}
