package process

import (
	"errors"
	"log/slog"
	"net"
	"os"
	"strings"
	"syscall"
)

// Supervisor is the program that has started the server and waits for its reports.
type Supervisor struct {
	kind string
	log  *slog.Logger
}

// FindSupervisor finds the supervisor that a value of the parameter supervised names, says that the
// server is starting, and logs what is missing. It stops the process where upstart wants it.
func FindSupervisor(kind string, log *slog.Logger) *Supervisor {
	job, socket := os.Getenv("UPSTART_JOB"), os.Getenv("NOTIFY_SOCKET")
	if kind == "auto" {
		switch {
		case job != "":
			kind = "upstart"
		case socket != "":
			kind = "systemd"
		}
	}
	s := &Supervisor{kind: kind, log: log}
	switch {
	case kind == "upstart" && job == "":
		log.Warn("upstart supervision requested, but UPSTART_JOB not found!")
	case kind == "upstart":
		log.Info("supervised by upstart, will stop to signal readiness")
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

// Report sends lines to systemd. It does nothing under another supervisor, or none.
func (s *Supervisor) Report(lines string) bool {
	if s.kind != "systemd" {
		return false
	}
	if err := notify(os.Getenv("NOTIFY_SOCKET"), lines); err != nil {
		s.log.Warn("systemd supervision error: " + err.Error())
		return false
	}
	return true
}

//lint:ignore ST1005 the words of Redis
var errNoSocket = errors.New("NOTIFY_SOCKET not found!")

// notify sends lines to the socket of systemd. A name that begins with @ is in the abstract name
// space of Linux, which package net writes in the same way.
func notify(socket, lines string) error {
	if socket == "" {
		return errNoSocket
	}
	if !strings.HasPrefix(socket, "/") && !strings.HasPrefix(socket, "@") {
		return errors.New("NOTIFY_SOCKET is neither a path nor an abstract name")
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		return errors.New("unable to connect to systemd socket: " + errno(err))
	}
	defer c.Close()
	if _, err := c.Write([]byte(lines)); err != nil {
		return errors.New("unable to send to systemd socket: " + errno(err))
	}
	return nil
}

func errno(err error) string {
	var e syscall.Errno
	if errors.As(err, &e) {
		return e.Error()
	}
	return err.Error()
}
