// Package target opens what a URL names as the place where the packets are.
package target

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/goredis"
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

// Embedded is an engine in this process.
func Embedded() (*Target, error) {
	e, err := engine.New(engine.Options{})
	if err != nil {
		return nil, err
	}
	return &Target{Client: e, Name: "the embedded engine", close: []func() error{e.Close}}, nil
}

// Served is an engine in this process that other processes reach on a port of the loopback interface.
func Served() (*Target, error) {
	e, err := engine.New(engine.Options{})
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
		Client: e, Name: "the embedded engine, served on " + addr, URL: "redis://" + addr,
		close: []func() error{s.Close, func() error { <-served; return nil }, e.Close},
	}, nil
}

// Open opens a server by redis://, rediss:// or unix://, or a cluster by redis+cluster://, for so many calls at once, and
// makes sure that it answers.
func Open(ctx context.Context, url string, calls int) (*Target, error) {
	var rdb redis.UniversalClient
	name := ""
	if rest, ok := strings.CutPrefix(url, "redis+cluster://"); ok {
		o, err := redis.ParseClusterURL("redis://" + rest)
		if err != nil {
			return nil, err
		}
		o.PoolSize = calls
		rdb, name = redis.NewClusterClient(o), fmt.Sprintf("the cluster at %s", strings.Join(o.Addrs, ", "))
	} else {
		o, err := redis.ParseURL(url)
		if err != nil {
			return nil, err
		}
		o.PoolSize = calls
		rdb, name = redis.NewClient(o), o.Addr
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := rdb.Ping(ctx).Err(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), rdb.Close())
	}
	return &Target{Client: goredis.New(rdb), Name: name, URL: url, close: []func() error{rdb.Close}}, nil
}
