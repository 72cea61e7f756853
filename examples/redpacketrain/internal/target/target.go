// Package target opens the place where the packets are: an engine in this process, or what a URL
// names.
package target

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/goredis"
	"github.com/redmoon-lua/redmoon/persist"
	"github.com/redmoon-lua/redmoon/resp"
)

// Target is an open place.
type Target struct {
	engine.Client
	// Name is what it is, without a password.
	Name string
	// URL is how other processes reach it; "" when they do not.
	URL   string
	close []func() error
}

// Close closes it; an embedded engine is gone then.
func (t *Target) Close() error {
	var errs []error
	for _, f := range t.close {
		errs = append(errs, f())
	}
	return errors.Join(errs...)
}

// Embedded is an engine in this process, or several that share the slots. If dir is not "", one
// engine keeps its data in files there; the directory is made if there is none.
func Embedded(shards int, dir string) (*Target, error) {
	if shards > 1 {
		c, err := engine.NewCluster(shards, engine.Options{})
		if err != nil {
			return nil, err
		}
		return &Target{Client: c, Name: fmt.Sprintf("%d embedded engines", shards), close: []func() error{c.Close}}, nil
	}
	e, err := open(dir)
	if err != nil {
		return nil, err
	}
	return &Target{Client: e, Name: "the embedded engine" + kept(dir), close: []func() error{e.Close}}, nil
}

// open opens an engine. What it has answered is in the files of dir, whatever happens to the
// process.
func open(dir string) (*engine.Engine, error) {
	if dir == "" {
		return engine.New(engine.Options{})
	}
	return engine.New(engine.Options{Persistence: persist.New(persist.Options{Dir: dir, AppendOnly: true, AppendFsync: "always"})})
}

func kept(dir string) string {
	if dir == "" {
		return ""
	}
	return " with files in " + dir
}

// Served is an engine in this process that other processes reach on a port of the loopback
// interface. dir is as of [Embedded].
func Served(dir string) (*Target, error) {
	e, err := open(dir)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	s := resp.NewServer(e, resp.Options{})
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	addr := l.Addr().String()
	return &Target{
		Client: e, Name: "the embedded engine" + kept(dir) + ", served on " + addr, URL: "redis://" + addr,
		close: []func() error{s.Close, func() error { <-served; return nil }, e.Close},
	}, nil
}

// Open opens a server or a cluster by a URL as of [goredis.Open], for that many calls at the same
// time, and makes sure that it answers.
func Open(ctx context.Context, address string, calls int) (*Target, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("the target is no URL")
	}
	if q := u.Query(); !q.Has("pool_size") {
		q.Set("pool_size", strconv.Itoa(calls))
		u.RawQuery = q.Encode()
	}
	goredis.LogTo(slog.New(slog.DiscardHandler)) // the errors of the run say enough
	rdb, err := goredis.Open(u.String())
	if err != nil {
		return nil, err
	}
	name := u.Host + u.Path
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := rdb.Ping(ctx).Err(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), rdb.Close())
	}
	return &Target{Client: goredis.New(rdb), Name: u.Scheme + " " + name, URL: address, close: []func() error{rdb.Close}}, nil
}
