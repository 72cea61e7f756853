package main

import (
	"fmt"
	"log/slog"

	"github.com/redmoon-lua/redmoon/debugger/ldb"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/resp"
)

// listen serves an engine at addr until stop is called.
func (std *streams) listen(e *engine.Engine, addr string) (stop func(), err error) {
	l, err := resp.Listen(addr)
	if err != nil {
		return nil, err
	}
	logger := slog.New(slog.NewTextHandler(std.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	server := resp.NewServer(e, resp.Options{Debug: ldb.Debug, Logger: logger})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(l) // ErrServerClosed
	}()
	fmt.Fprintf(std.out, "listening on %s\n", l.Addr())
	return func() {
		_ = server.Close()
		<-ended
	}, nil
}
