package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/process"
)

// crashSignals are the signals for which Redis logs a report before it ends.
var crashSignals = []os.Signal{syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL, syscall.SIGABRT}

// crashAnswer is how long a report waits for what the engine says about itself. A script may keep
// it from answering.
const crashAnswer = time.Second

// maxStacks is the number of bytes of stacks in a report.
const maxStacks = 1 << 20

// watchCrashes makes signals that others send as after a crash end the process as they end Redis:
// by the signal, after a report. A crash of the program itself is written by Go's runtime.
func (s *server) watchCrashes() {
	if s.std.signals == nil { // not a process of its own
		return
	}
	s.reportCrashes(s.file.Value("crash-log-enabled") == "yes")
	c := make(chan os.Signal, 1)
	signal.Notify(c, append(crashSignals, syscall.SIGQUIT)...)
	go func() {
		sig := (<-c).(syscall.Signal)
		if s.crashLog.Load() && sig != syscall.SIGQUIT {
			s.out.Raw(s.crashReport(sig))
		}
		process.Die(sig)
		os.Exit(128 + int(sig))
	}()
}

// reportCrashes turns reports on or off: those of signals, and the stacks that Go's runtime writes
// to the file of the log when the program itself fails.
func (s *server) reportCrashes(on bool) {
	s.crashLog.Store(on)
	var file *os.File
	if path := s.file.Value("logfile"); on && path != "" {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			s.log.Warn("crash-log-enabled: " + err.Error())
			return
		}
		defer f.Close() // the runtime has a copy
		file = f
	}
	if err := debug.SetCrashOutput(file, debug.CrashOptions{}); err != nil {
		s.log.Warn("crash-log-enabled: " + err.Error())
	}
}

// crashReport is what the log gets when a signal ends the process.
func (s *server) crashReport(sig syscall.Signal) string {
	var b strings.Builder
	part := func(name, text string) {
		fmt.Fprintf(&b, "\n------ %s ------\n%s\n", name, strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), "\n"))
	}
	fmt.Fprintf(&b, "\n=== REDMOON CRASH REPORT START ===\nSignal %d (%v) ends process %d.\n%s\n", int(sig), sig, os.Getpid(), serverVersion())
	stacks := make([]byte, maxStacks)
	part("STACKS", string(stacks[:runtime.Stack(stacks, true)]))
	part("CLIENTS AND THEIR COMMANDS", s.askEngine("CLIENT", "LIST"))
	part("INFO", s.askEngine("INFO"))
	b.WriteString("\n=== REDMOON CRASH REPORT END ===\n")
	return b.String()
}

// askEngine asks the engine, which may be busy.
func (s *server) askEngine(command ...string) string {
	if s.engine == nil {
		return "The engine is not there yet."
	}
	ctx, cancel := context.WithTimeout(context.Background(), crashAnswer)
	defer cancel()
	v, err := s.engine.DoStrings(ctx, command...)
	if err != nil {
		return "The engine does not answer: " + err.Error()
	}
	return v.Text()
}
