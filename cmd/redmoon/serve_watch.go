package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
)

// prepareWatch prepares --coverage and --profile. It is called before the server leaves its working
// directory.
func (s *server) prepareWatch() (err error) {
	var options engine.Options
	if s.watch, err = s.own.watch(&options, time.Now); err != nil || !s.watches() {
		return err
	}
	folders := s.own.Sources
	if len(folders) == 0 {
		folders = []string{"."}
	}
	if err := s.watch.nameSources(folders); err != nil {
		return fmt.Errorf("--sources: %w", err)
	}
	if s.std.signals != nil {
		notifyWrite(s.std.signals)
	}
	return s.watch.check()
}

func (s *server) watches() bool { return s.watch.coverage != nil || s.watch.profile != nil }

// writeWatched writes the files of --coverage and --profile.
func (s *server) writeWatched() {
	if !s.watches() {
		return
	}
	if err := errors.Join(s.watch.writeCoverage(), s.watch.writeProfile()); err != nil {
		s.log.Warn("Writing coverage or profile: " + err.Error())
		return
	}
	s.log.Info("Coverage and profile of scripts are written")
}
