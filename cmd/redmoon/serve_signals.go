package main

import (
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// takeSignals makes the process a server: signals come to it instead of ending it.
func (std *streams) takeSignals() {
	std.signals = make(chan os.Signal, 8)
	signal.Notify(std.signals, os.Interrupt, syscall.SIGTERM)
	notifyOthers(std.signals)
}

// await waits until the server must end. It returns an exit code for an end without a shutdown,
// else -1.
func (s *server) await() int {
	loaded := s.loaded
	for {
		select {
		case <-loaded:
			loaded = nil
			select {
			case err := <-s.ended:
				s.warn(err)
				return 1
			default:
				s.ready()
			}
		case err := <-s.ended:
			s.warn(err)
			return 1
		case <-s.std.interruptible.Done():
			return -1
		case <-s.shutdown:
			return -1
		case sig := <-s.std.signals:
			if code := s.signal(sig); code >= 0 {
				return code
			}
		}
	}
}

// signal starts a shutdown. A second SIGINT during one ends the process immediately.
func (s *server) signal(sig os.Signal) int {
	name, parameter := "SIGTERM", "shutdown-on-sigterm"
	switch {
	case sig == os.Interrupt:
		name, parameter = "SIGINT", "shutdown-on-sigint"
	case isWriteSignal(sig):
		s.writeWatched()
		return -1
	case sig != syscall.SIGTERM:
		return exitOf(sig)
	}
	if s.stopping.Load() && name == "SIGINT" {
		s.out.Signal("You insist... exiting now.")
		return 1
	}
	s.out.Signal("Received " + name + " scheduling shutdown...")
	if s.stopping.CompareAndSwap(false, true) {
		go s.requestShutdown(parameter)
	}
	return -1
}

// requestShutdown asks the engine for a shutdown with the options that a parameter has.
func (s *server) requestShutdown(parameter string) {
	value := s.file.Value(parameter)
	if v, ok := s.shutdowns.Load(parameter); ok {
		value = v.(string)
	}
	var options []string
	for _, word := range strings.Fields(value) {
		if word != "default" {
			options = append(options, word)
		}
	}
	_ = s.engine.StartShutdown(func(err error) { // the log has the error
		if err != nil {
			s.stopping.Store(false)
		}
	}, options...)
}
