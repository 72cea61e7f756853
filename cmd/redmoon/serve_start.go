package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/listen"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/process"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/serverlog"
	"github.com/redmoon-lua/redmoon/engine"
)

// detach reports to the supervisor, and leaves the terminal if the configuration asks for it. done
// is set in the process that has done so: it ends.
func (s *server) detach() (done bool, code int) {
	daemonized := s.std.signals != nil && process.Daemonized()
	s.supervisor = process.FindSupervisor(s.file.Value("supervised"), s.log)
	s.out.Watch(s.supervisor.Logged)
	if s.file.Value("daemonize") != "yes" || s.supervisor.Kind() != "no" || daemonized {
		return false, 0
	}
	if err := process.Daemonize(s.home, s.stdin); err != nil {
		return true, s.fail(err)
	}
	return true, 0
}

// greet logs what Redis logs before it listens, and prepares the process.
func (s *server) greet() {
	s.log.Warn("oO0OoO0OoO0Oo Redis is starting oO0OoO0OoO0Oo")
	s.log.Warn(fmt.Sprintf("Redis version=%s, bits=%d, commit=00000000, modified=0, pid=%d, just started", engine.RedisVersion,
		32<<(^uint(0)>>63), os.Getpid()))
	if s.line.Given || s.own.announces() {
		s.log.Warn("Configuration loaded")
	} else {
		s.log.Warn("Warning: no config file specified, using the default config. In order to specify a config file use " + s.std.name +
			" /path/to/redis.conf")
	}
	s.out.SetRole(roleOf(s.file.Value("replicaof")))
	if s.file.Value("syslog-enabled") == "yes" {
		if err := s.out.UseSyslog(s.file.Value("syslog-facility"), s.file.Value("syslog-ident")); err != nil {
			s.log.Warn(err.Error())
		}
	}
	for _, note := range s.file.Notes() {
		s.log.Info(note)
	}
	if s.file.Value("disable-thp") == "yes" && process.AlwaysTHP() {
		if err := process.DisableTHP(); err != nil {
			s.log.Warn("disable-thp: " + err.Error())
		}
	}
}

// roleOf is the letter of the lines of the log of a server with this master; "": none.
func roleOf(master string) rune {
	if master != "" {
		return serverlog.Replica
	}
	return serverlog.Master
}

// open opens the listeners. It has logged the error.
func (s *server) open() error {
	clients, _ := strconv.ParseInt(s.file.Value("maxclients"), 10, 64)
	s.maxclients = process.FilesForClients(clients, s.log)
	if s.maxclients == 0 {
		return errors.New("too few files")
	}
	s.log.Info("monotonic clock: Go")
	s.listeners = listen.New(s.listenConfig(), s.log)
	if err := s.listeners.Open(); err != nil {
		return err
	}
	s.mark()
	return nil
}

// mark shows that the process runs: its file, its title, the logo.
func (s *server) mark() {
	if path := s.pidFile(); path != "" {
		process.WritePID(path)
	}
	if s.file.Value("set-proc-title") == "yes" { // CONFIG SET of the template sets it nevertheless, as in Redis
		s.setTitle(s.file.Value("proc-title-template"))
	}
	c := s.listeners.Config()
	port := c.Port
	if port == 0 {
		port = c.TLSPort
	}
	logo := s.file.Value("logfile") == "" && s.std.outTTY && s.file.Value("syslog-enabled") != "yes"
	if logo || s.file.Value("always-show-logo") == "yes" {
		s.out.Raw(s.logo(port))
	} else {
		s.log.Info(fmt.Sprintf("Running mode=%s, port=%d.", s.modeName(), port))
	}
	if most, path := process.MaxBacklog(); most > 0 && c.Backlog > most {
		s.log.Warn(fmt.Sprintf("WARNING: The TCP backlog setting of %d cannot be enforced because %s is set to the lower value of %d.",
			c.Backlog, path, most))
	}
	s.log.Warn("Server initialized")
}

// pidFile is the path of the file with the number of the process; "": none.
func (s *server) pidFile() string {
	path := s.file.Value("pidfile")
	if path == "" && s.file.Value("daemonize") == "yes" {
		path = defaultPIDFile
	}
	return path
}

// defaultPIDFile is Redis's default for a daemon.
const defaultPIDFile = "/var/run/redis.pid"

func (s *server) modeName() string {
	if s.file.Value("cluster-enabled") == "yes" {
		return "cluster"
	}
	return "standalone"
}

// logo is a picture with the facts that Redis shows beside its own.
func (s *server) logo(port int) string {
	facts := []string{
		fmt.Sprintf("Redis %s (00000000/0) %d bit", engine.RedisVersion, 32<<(^uint(0)>>63)),
		"",
		"Running in " + s.modeName() + " mode",
		"Port: " + strconv.Itoa(port),
		"PID: " + strconv.Itoa(os.Getpid()),
		"",
		"served by redmoon",
	}
	moon := []string{
		`        _.--""--._        `,
		`     .'   .--.    '.      `,
		`    /    /    \     \     `,
		`   |     \    /  o   |    `,
		`   |  o   '--'       |    `,
		`    \       .-.     /     `,
		`     '._   '-'   _.'      `,
	}
	var b strings.Builder
	for i, line := range moon {
		b.WriteString(strings.TrimRight(line+facts[i], " ") + "\n")
	}
	b.WriteString("        '--....--'\n\n")
	return b.String()
}
