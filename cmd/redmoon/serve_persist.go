package main

import (
	"context"
	"errors"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/persist"
)

// defaultSave is the parameter save of a redis-server that nobody has configured.
const defaultSave = "3600 1 300 100 60 10000"

// keepFiles makes the engine keep its data set in files in the working directory. Their parameters
// come from the configuration. The engine answers LOADING until the files are loaded.
func (s *server) keepFiles(o *engine.Options) {
	files := persist.Options{Dir: ".", Background: true, Failed: func(err error) {
		select {
		case s.ended <- err:
		default: // one is enough
		}
	}}
	if o.ConfigFile == nil {
		files.Save = defaultSave
	}
	o.Persistence = persist.New(files)
}

// warn logs the error that ends the server, unless the log has reported it.
func (s *server) warn(err error) {
	var e interface{ Reported() bool }
	if !errors.As(err, &e) || !e.Reported() {
		s.log.Warn(err.Error())
	}
}

// awaitFiles sends the reason why the files of e cannot be loaded; the server must end then.
func awaitFiles(e *engine.Engine, ended chan<- error) {
	if err := e.AwaitLoad(context.Background()); err != nil && !errors.Is(err, engine.ErrClosed) {
		ended <- err
	}
}
