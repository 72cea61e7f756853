package main

import (
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/process"
	"github.com/redmoon-lua/redmoon/engine"
)

// startEngine makes the engine and loads what is saved. It has logged the error.
func (s *server) startEngine() (err error) {
	s.shutdown = make(chan struct{})
	options := engine.Options{Server: s.own.Server, Logger: s.log, ConfigFile: s.file, Fixed: s.fixed(), ApplyConfig: s.apply,
		StrictKeys: engine.KeyPolicy(s.own.Strict), ScriptMigrate: true, OnShutdown: sync.OnceFunc(func() { close(s.shutdown) })}
	options.Coverage, options.Profile = s.watch.coverage, s.watch.profile
	if s.own.OnError == "rollback" {
		options.OnScriptError = engine.Rollback
	}
	s.keepFiles(&options)
	if s.engine, err = engine.New(options); err != nil {
		text := err.Error()
		if problem := (*engine.ACLFileError)(nil); errors.As(err, &problem) {
			text = "Aborting Redis startup because of ACL errors: " + problem.Text
		}
		s.log.Warn(text)
	}
	return err
}

// fixed are the parameters whose values at the start are not those of the configuration.
func (s *server) fixed() map[string]string {
	c := s.listeners.Config()
	fixed := map[string]string{"port": strconv.Itoa(c.Port), "tls-port": strconv.Itoa(c.TLSPort),
		"maxclients": strconv.FormatInt(s.maxclients, 10), "pidfile": s.pidFile()}
	if s.linked && !s.file.Sets("enable-debug-command") {
		fixed["enable-debug-command"] = "no"
	}
	return fixed
}

// ready logs that the server can be used, and reports it to the supervisor.
func (s *server) ready() {
	c := s.listeners.Config()
	if c.Port != 0 || c.TLSPort != 0 {
		s.log.Info("Ready to accept connections")
	}
	if c.Unix != "" {
		s.log.Info("The server is now ready to accept connections at " + c.Unix)
	}
	status := "STATUS=Ready to accept connections\n"
	if s.file.Value("replicaof") != "" {
		status = "STATUS=Ready to accept connections in read-only mode. Waiting for MASTER <-> REPLICA sync\n"
	}
	s.supervisor.Ready(status)
	if n, _ := strconv.ParseUint(s.file.Value("maxmemory"), 10, 64); n > 0 && n < 1<<20 {
		s.log.Warn(fmt.Sprintf("WARNING: You specified a maxmemory value that is less than 1MB (current value is %d bytes). Are you sure this "+
			"is what you really want?", n))
	}
	if err := s.setOOM(s.file.Value); err != nil {
		s.log.Warn(err.Error())
	}
	if s.own.announces() {
		for _, l := range s.listeners.All() {
			fmt.Fprintf(s.std.out, "listening on %s\n", l.Addr())
		}
	}
}

// setTitle sets the title of the process by a template.
func (s *server) setTitle(template string) {
	c := s.listeners.Config()
	process.SetTitle(process.Title(template, process.TitleFacts{Program: s.std.name, File: s.file.Path(), Bind: c.Bind, Port: c.Port,
		TLSPort: c.TLSPort, Unix: c.Unix, Cluster: s.file.Value("cluster-enabled") == "yes"}))
}

func (s *server) setOOM(value func(string) string) error {
	if s.std.signals == nil { // not a process of its own
		return nil
	}
	return s.oom.Set(value("oom-score-adj"), value("oom-score-adj-values"), value("replicaof") != "")
}

// apply carries out CONFIG SET of what is about the process. The engine calls it on its goroutine.
func (s *server) apply(name string, value func(string) string) error {
	number := func() int {
		n, _ := strconv.Atoi(value(name)) // has been checked
		return n
	}
	s.value = value
	switch name {
	case "port":
		return s.listeners.SetPort(number(), value("bind"))
	case "tls-port":
		return s.listeners.SetTLSPort(number())
	case "bind":
		return s.listeners.SetBind(value(name))
	case "loglevel":
		s.out.SetLevel(value(name))
	case "shutdown-on-sigint", "shutdown-on-sigterm":
		s.shutdowns.Store(name, value(name))
	case "replicaof":
		s.out.SetRole(roleOf(value(name)))
		if err := s.setOOM(value); err != nil {
			s.log.Warn(err.Error())
		}
	case "crash-log-enabled":
		if s.std.signals != nil {
			s.reportCrashes(value(name) == "yes")
		}
	case "proc-title-template":
		s.setTitle(value(name))
	case "oom-score-adj", "oom-score-adj-values":
		if err := s.setOOM(value); err != nil {
			s.log.Warn(err.Error())
			return errOOM
		}
	case "maxclients":
		if fit := process.FilesForClients(int64(number()), s.log); fit != int64(number()) {
			//lint:ignore ST1005 the words of Redis
			return fmt.Errorf("The operating system is not able to handle the specified number of clients, try with %d", fit)
		}
	default: // a parameter of TLS
		if s.listeners.Config().TLSPort == 0 {
			return nil
		}
		return s.listeners.ReadTLS()
	}
	return nil
}

//lint:ignore ST1005 the words of Redis
var errOOM = errors.New("Failed to apply new oom_score_adj configuration, check server logs.")
