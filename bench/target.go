package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/goredis"
)

// target runs n operations of a workload and returns how long they took.
type target struct {
	name    string
	callers int
	run     func(w workload, n int) (time.Duration, error)
	only    func(w workload) bool // nil: every workload
}

// startTargets starts the servers, none if opt.local. stop ends them; it is never nil.
func startTargets(opt options) (list []target, stop func(), err error) {
	var stops []func()
	stop = func() {
		for _, f := range stops {
			f()
		}
	}
	list = append(list,
		target{name: "redmoon in-process, 1 goroutine", callers: 1, run: inProcess(opt.watch, 1)},
		target{name: "bare VM over Go maps", callers: 1, run: floor(opt.watch, false), only: func(w workload) bool { return w.floor }},
		target{name: "bare VM over Go maps, no arg table", callers: 1, run: floor(opt.watch, true),
			only: func(w workload) bool { return w.floor }},
		target{name: "redmoon in-process", callers: workers, run: inProcess(opt.watch, workers)},
	)
	e, err := engine.New(engine.Options{})
	if err != nil {
		return list, stop, err
	}
	c := goredis.NewClient(e, func(o *redis.Options) { o.PoolSize, o.Protocol = workers, 2 })
	stops = append(stops, func() { _, _ = c.Close(), e.Close() })
	list = append(list, target{name: "go-redis on an engine in process", callers: workers, run: loopback(opt.watch, c, 1)})
	if opt.local {
		return list, stop, nil
	}
	for _, name := range []string{"redmoon", "redis-server", "miniredis"} {
		server, err := startServer(name)
		stops = append(stops, server.end)
		if errors.Is(err, exec.ErrNotFound) {
			continue
		}
		if err != nil {
			return list, stop, err
		}
		c := redis.NewClient(&redis.Options{
			Addr: fmt.Sprintf("127.0.0.1:%d", server.port), PoolSize: workers, MinIdleConns: workers, Protocol: 2,
			DisableIdentity: true, ReadTimeout: time.Minute,
		})
		only := func(w workload) bool { return !w.real || name != "miniredis" }
		list = append(list,
			target{name: name + " over loopback", callers: workers, run: loopback(opt.watch, c, 1), only: only},
			target{name: name + " over loopback, pipelined by 16", callers: workers, run: loopback(opt.watch, c, 16), only: only},
		)
	}
	return list, stop, nil
}

// process is a server in a separate process.
type process struct {
	port, pid int
	end       func() // never nil
}

// startServer starts redmoon, redis-server or miniredis, and waits until it accepts commands.
// more are arguments of redis-server.
func startServer(name string, more ...string) (p process, err error) {
	p.end = func() {}
	if p.port, err = freePort(); err != nil {
		return p, err
	}
	cmd := exec.Command(os.Args[0], "-child", name)
	if name == "redis-server" {
		path, err := exec.LookPath(name)
		if err != nil {
			return p, err
		}
		args := []string{"--save", "", "--appendonly", "no", "--bind", "127.0.0.1", "--port", strconv.Itoa(p.port)}
		cmd = exec.Command(path, append(args, more...)...)
	}
	cmd.Env = append(os.Environ(), "BENCH_PORT="+strconv.Itoa(p.port))
	if err := cmd.Start(); err != nil {
		return p, err
	}
	p.pid = cmd.Process.Pid
	p.end = func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }
	c := redis.NewClient(&redis.Options{Addr: fmt.Sprintf("127.0.0.1:%d", p.port), Protocol: 2, DisableIdentity: true})
	defer c.Close()
	if err := waitFor(c); err != nil {
		return p, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

// startBoth starts redmoon and redis-server, to compare them over loopback. stop is never nil.
func startBoth() (ports map[string]int, stop func(), err error) {
	ports = map[string]int{}
	var ends []func()
	stop = func() {
		for _, end := range ends {
			end()
		}
	}
	for _, name := range both {
		server, err := startServer(name)
		ends = append(ends, server.end)
		if err != nil {
			return nil, stop, err
		}
		ports[name] = server.port
	}
	return ports, stop, nil
}

// both are the servers that startBoth starts.
var both = []string{"redmoon", "redis-server"}

func waitFor(c *redis.Client) (err error) {
	for range 100 {
		if err = c.Ping(context.Background()).Err(); err == nil {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return err
}

// share divides n operations among callers and returns the time they take. f is called once per
// caller, with a function that hands out operation numbers in blocks.
func share(watch stopwatch, callers, n int, f func(next func(want int) (from, to int)) error) (time.Duration, error) {
	var dealt atomic.Int64
	next := func(want int) (int, int) {
		to := int(dealt.Add(int64(want)))
		return min(to-want, n), min(to, n)
	}
	var wg sync.WaitGroup
	errs := make(chan error, callers)
	start := watch()
	for range callers {
		wg.Go(func() {
			if err := f(next); err != nil {
				errs <- err
			}
		})
	}
	wg.Wait()
	took := watch() - start
	select {
	case err := <-errs:
		return 0, err
	default:
		return took, nil
	}
}

// embedded is an in-process engine, or a cluster of engines.
type embedded interface {
	engine.Client
	Pipeline() *engine.Pipeline
	Close() error
}

func oneEngine() (embedded, error) { return engine.New(engine.Options{}) }

// inProcess runs a workload on an engine from the given number of goroutines.
func inProcess(watch stopwatch, callers int) func(workload, int) (time.Duration, error) {
	return calling(watch, callers, oneEngine)
}

// calling runs a workload from callers goroutines on the engine or cluster that start returns.
func calling(watch stopwatch, callers int, start func() (embedded, error)) func(workload, int) (time.Duration, error) {
	return func(w workload, n int) (time.Duration, error) {
		e, err := start()
		if err != nil {
			return 0, err
		}
		defer e.Close()
		ctx := context.Background()
		if w.setup != nil {
			for _, cmd := range w.setup(n) {
				if _, err := e.DoStrings(ctx, cmd...); err != nil {
					return 0, err
				}
			}
		}
		return share(watch, callers, n, func(next func(int) (int, int)) error {
			var buf []string
			for {
				from, to := next(64)
				if from == to {
					return nil
				}
				for i := from; i < to; i++ {
					buf = w.op(buf[:0], i)
					var err error
					if w.script != nil {
						_, err = e.RunScript(ctx, w.script, buf[:w.nkeys], buf[w.nkeys:])
					} else {
						_, err = e.DoStrings(ctx, buf...)
					}
					if err != nil {
						return err
					}
				}
			}
		})
	}
}

// loopback runs a workload on a server through go-redis, with depth commands per pipeline.
func loopback(watch stopwatch, c *redis.Client, depth int) func(workload, int) (time.Duration, error) {
	return func(w workload, n int) (time.Duration, error) {
		ctx := context.Background()
		if err := prepare(ctx, c, w, n); err != nil {
			return 0, err
		}
		return share(watch, workers, n, func(next func(int) (int, int)) error {
			var buf []string
			var args []any
			for {
				from, to := next(max(64, depth))
				if from == to {
					return nil
				}
				for i := from; i < to; i += depth {
					last := min(i+depth, to)
					if depth == 1 {
						args, buf = w.args(args[:0], buf, i)
						if err := c.Do(ctx, args...).Err(); err != nil && err != redis.Nil {
							return err
						}
						continue
					}
					p := c.Pipeline()
					for j := i; j < last; j++ {
						args, buf = w.args(nil, buf, j)
						p.Do(ctx, args...)
					}
					if _, err := p.Exec(ctx); err != nil && err != redis.Nil {
						return err
					}
				}
			}
		})
	}
}

func prepare(ctx context.Context, c *redis.Client, w workload, n int) error {
	if err := c.FlushAll(ctx).Err(); err != nil {
		return err
	}
	if w.script != nil {
		if err := c.ScriptLoad(ctx, w.script.Source()).Err(); err != nil {
			return err
		}
	}
	if w.setup == nil {
		return nil
	}
	for _, cmd := range w.setup(n) {
		args := make([]any, len(cmd))
		for i, s := range cmd {
			args[i] = s
		}
		if err := c.Do(ctx, args...).Err(); err != nil {
			return err
		}
	}
	return nil
}

// line appends operation i as a complete command.
func (w workload) line(dst []string, i int) []string {
	if w.script != nil {
		dst = append(dst, "EVALSHA", w.script.SHA(), strconv.Itoa(w.nkeys))
	}
	return w.op(dst, i)
}

// args returns operation i as a complete command for go-redis.
func (w workload) args(dst []any, buf []string, i int) ([]any, []string) {
	if w.script != nil {
		dst = append(dst, "EVALSHA", w.script.SHA(), w.nkeys)
	}
	buf = w.op(buf[:0], i)
	for _, s := range buf {
		dst = append(dst, s)
	}
	return dst, buf
}
