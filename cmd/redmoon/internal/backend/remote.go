package backend

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
)

// Remote is a Redis server. [Connect] makes it. If the connection is lost, the next command
// connects again.
type Remote struct {
	to    address
	proto int // protocol of the session
	db    int // database of the session

	main *wire // connection of the session; nil: not connected

	mu   sync.Mutex // guards side
	side *wire      // connection for queries; nil: not connected
}

// Connect connects to a Redis server: host:port, redis://[[user]:password@]host[:port][/db],
// rediss:// for TLS, or unix://path. proto is the protocol, 2 or 3.
func Connect(ctx context.Context, address string, proto int) (*Remote, error) {
	to, err := parseAddress(address)
	if err != nil {
		return nil, err
	}
	r := &Remote{to: to, proto: proto, db: to.db}
	r.main, err = r.dial(ctx, r.db, r.proto)
	return r, err
}

// Close closes the connections.
func (r *Remote) Close() {
	for _, w := range []*wire{r.main, r.side} {
		if w != nil {
			w.close()
		}
	}
}

// Name implements [Backend]. It returns the address of the server.
func (r *Remote) Name() string { return r.to.addr }

func (r *Remote) Embedded() bool { return false }

// dialTimeout is the maximum time to connect.
const dialTimeout = 5 * time.Second

// dial connects and logs in.
func (r *Remote) dial(ctx context.Context, db, proto int) (*wire, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	w, err := dial(ctx, r.to)
	if err != nil {
		return nil, err
	}
	if err := r.login(ctx, w, db, proto); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

func (r *Remote) login(ctx context.Context, w *wire, db, proto int) error {
	var first [][]string
	if r.to.password != "" {
		auth := []string{"AUTH", r.to.password}
		if r.to.user != "" {
			auth = []string{"AUTH", r.to.user, r.to.password}
		}
		first = append(first, auth)
	}
	if proto == 3 {
		first = append(first, []string{"HELLO", "3"})
	}
	if db != 0 {
		first = append(first, []string{"SELECT", strconv.Itoa(db)})
	}
	for _, args := range first {
		if v, err := w.call(ctx, args); err != nil {
			return err
		} else if v.IsError() {
			return fmt.Errorf("%s: %s", args[0], v.Text())
		}
	}
	return nil
}

// do implements [Backend].
func (r *Remote) Do(ctx context.Context, args []string) (Answer, error) {
	name := strings.ToLower(args[0])
	switch name {
	case "subscribe", "psubscribe", "ssubscribe", "monitor", "sync", "psync":
		return Answer{}, fmt.Errorf("%s cannot be used at this prompt, which shows one reply for each command; use redis-cli", args[0])
	}
	if r.main == nil {
		var err error
		if r.main, err = r.dial(ctx, r.db, r.proto); err != nil {
			return Answer{}, err
		}
	}
	if RunsScript(args) {
		defer r.killAfter(ctx)()
		ctx = context.WithoutCancel(ctx) // the reply arrives even if the script is killed
	}
	v, err := r.main.call(ctx, args)
	if err != nil {
		r.main.close()
		r.main = nil
		if ctx.Err() != nil {
			return Answer{}, ctx.Err()
		}
		return Answer{}, fmt.Errorf("the connection to %s is lost: %w", r.Name(), err)
	}
	r.follow(name, args, v)
	return Answer{Value: v, Proto: r.proto, Closed: name == "quit"}, nil
}

// follow records what a command has changed in the session.
func (r *Remote) follow(name string, args []string, v engine.Value) {
	if v.IsError() {
		return
	}
	switch {
	case name == "select" && len(args) == 2 && v.Text() == "OK":
		r.db, _ = strconv.Atoi(args[1])
	case name == "hello" && len(args) > 1:
		r.proto, _ = strconv.Atoi(args[1])
	case name == "reset":
		r.db, r.proto = 0, 2
	}
}

// killAfter kills the running script of the server when ctx ends, unless stop is called first.
func (r *Remote) killAfter(ctx context.Context) (stop func()) {
	ended := make(chan struct{})
	go func() {
		select {
		case <-ended:
		case <-ctx.Done():
			limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
			defer cancel()
			_, _ = r.Query(limit, 0, "SCRIPT", "KILL") // the reply of the script shows the result
		}
	}()
	return func() { close(ended) }
}

func (r *Remote) RunScript(ctx context.Context, s *engine.Script, keys, args []string) (Answer, error) {
	call := append([]string{"EVALSHA", s.SHA(), strconv.Itoa(len(keys))}, keys...)
	call = append(call, args...)
	a, err := r.Do(ctx, call)
	if err == nil && a.Value.IsError() && strings.HasPrefix(a.Value.Text(), "NOSCRIPT") {
		call[0], call[1] = "EVAL", s.Source()
		a, err = r.Do(ctx, call)
	}
	return Answer{Value: a.Value}, err
}

func (r *Remote) Query(ctx context.Context, db int, args ...string) (engine.Value, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.side == nil {
		var err error
		if r.side, err = r.dial(ctx, 0, r.proto); err != nil {
			return engine.Value{}, err
		}
	}
	v, err := r.side.call(ctx, []string{"SELECT", strconv.Itoa(db)})
	if err == nil && (!v.IsError() || db == 0) { // a cluster has only one database
		v, err = r.side.call(ctx, args)
	}
	if err != nil {
		r.side.close()
		r.side = nil
		return v, err
	}
	if v.IsError() {
		return v, errors.New(v.Text())
	}
	return v, nil
}
