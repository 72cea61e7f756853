package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redmoon-lua/redmoon/engine"
	lua "github.com/yuin/gopher-lua"
	json "layeh.com/gopher-json"
)

// player is a target that runs chunks.
type player struct {
	name string
	// load prepares a chunk. Each call of the returned function runs the chunk once and returns its
	// result as text.
	load func(source string) (func() (string, error), error)
}

const (
	playBare    = "bare gopher-lua"
	playRedmoon = "redmoon"
	playRedis   = "redis-server"
)

// barePlayer is unmodified gopher-lua: its libraries, its compiler, one state, the chunk compiled
// once. Its cjson is gopher-json.
func barePlayer() (player, func()) {
	l := lua.NewState()
	l.Push(l.NewFunction(json.Loader))
	l.Call(0, 1)
	l.SetGlobal("cjson", l.Get(-1))
	l.Pop(1)
	return player{playBare, func(source string) (func() (string, error), error) {
		fn, err := l.LoadString(source)
		if err != nil {
			return nil, err
		}
		return func() (string, error) {
			if err := l.CallByParam(lua.P{Fn: fn, NRet: 1, Protect: true}); err != nil {
				return "", err
			}
			v := l.Get(-1)
			l.Pop(1)
			if n, ok := v.(lua.LNumber); ok {
				return strconv.FormatInt(int64(n), 10), nil // as Redis replies
			}
			return v.String(), nil
		}, nil
	}}, l.Close
}

// redmoonPlayer is an engine in this process, called by one goroutine.
func redmoonPlayer() (player, func(), error) {
	e, err := engine.New(engine.Options{})
	if err != nil {
		return player{}, nil, err
	}
	return player{playRedmoon, func(source string) (func() (string, error), error) {
		s := engine.NewScript(source)
		return func() (string, error) {
			v, err := e.RunScript(context.Background(), s, nil, nil)
			if err != nil {
				return "", err
			}
			return v.Text(), nil
		}, nil
	}}, func() { e.Close() }, nil
}

// redisPlayer is a redis-server on its own unix socket, called with EVALSHA on one connection.
func redisPlayer() (p player, stop func(), err error) {
	path, err := exec.LookPath("redis-server")
	if err != nil {
		return p, nil, err
	}
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return p, nil, err
	}
	sock := filepath.Join(dir, "redis.sock")
	cmd := exec.Command(path, "--port", "0", "--unixsocket", sock, "--save", "", "--appendonly", "no", "--dir", dir)
	if err := cmd.Start(); err != nil {
		return p, nil, err
	}
	c := redis.NewClient(&redis.Options{
		Network: "unix", Addr: sock, PoolSize: 1, Protocol: 2, DisableIdentity: true, ReadTimeout: time.Minute,
	})
	stop = func() {
		_ = c.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = os.RemoveAll(dir)
	}
	if err := waitFor(c); err != nil {
		stop()
		return p, nil, err
	}
	return player{playRedis, func(source string) (func() (string, error), error) {
		ctx := context.Background()
		sha, err := c.ScriptLoad(ctx, source).Result()
		if err != nil {
			return nil, err
		}
		return func() (string, error) {
			v, err := c.EvalSha(ctx, sha, nil).Result()
			return fmt.Sprint(v), err
		}, nil
	}}, stop, nil
}

// players starts the players; with local, all except redis-server. stop is never nil.
func players(local bool) (list []player, stop func(), err error) {
	var stops []func()
	stop = func() {
		for _, f := range stops {
			f()
		}
	}
	bare, f := barePlayer()
	list, stops = append(list, bare), append(stops, f)
	p, f, err := redmoonPlayer()
	if err != nil {
		return nil, stop, err
	}
	list, stops = append(list, p), append(stops, f)
	if _, err := exec.LookPath("redis-server"); err != nil || local {
		return list, stop, nil
	}
	if p, f, err = redisPlayer(); err != nil {
		return nil, stop, err
	}
	stops = append(stops, f)
	return append(list, p), stop, nil
}
