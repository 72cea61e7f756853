package goredis_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/goredis"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

// A script that was written for an engine runs on a server.
func ExampleNew() {
	ctx := context.Background()
	rdb, stop := server()
	defer stop()
	c := goredis.New(rdb)
	visits := engine.NewScript("return redis.call('INCRBY', KEYS[1], ARGV[1])")
	v, err := visits.Run(ctx, c, []string{"visits"}, 3)
	fmt.Println(v, err)
	_, err = c.DoStrings(ctx, "LPUSH", "visits", "x")
	fmt.Println(errors.Is(err, engine.ErrWrongType))
	// Output:
	// (integer) 3 <nil>
	// true
}

// server stands for a client of a redis-server, such as goredis.Open returns.
func server() (rdb *redis.Client, stop func()) {
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	rdb = goredis.NewClient(e)
	return rdb, func() {
		_ = rdb.Close()
		_ = e.Close()
	}
}

// A program that was written for go-redis runs without a server.
func ExampleNewClient() {
	ctx := context.Background()
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	rdb := goredis.NewClient(e) // code that takes a *redis.Client does not notice
	defer rdb.Close()
	rdb.HSet(ctx, "user:1", "name", "ann", "age", 41)
	fmt.Println(rdb.HGetAll(ctx, "user:1").Val()["name"])
	v, err := e.Do(ctx, "HGET", "user:1", "age") // the same keyspace
	fmt.Println(v.Text(), err)
	// Output:
	// ann
	// 41 <nil>
}

// The place of the data is one URL: a server, a Redis Cluster or Sentinels, or an engine in this
// program if there is none.
func ExampleOpen_oneURL() {
	connect := func(address string) (rdb redis.UniversalClient, stop func(), err error) {
		if address == "" {
			e, err := engine.New(engine.Options{})
			if err != nil {
				return nil, nil, err
			}
			rdb := goredis.NewClient(e)
			return rdb, func() { _, _ = rdb.Close(), e.Close() }, nil
		}
		if rdb, err = goredis.Open(address); err != nil {
			return nil, nil, err
		}
		return rdb, func() { _ = rdb.Close() }, nil
	}
	rdb, stop, err := connect("") // os.Getenv("REDIS_URL"): redis://localhost:6379, redis+cluster://…
	if err != nil {
		panic(err)
	}
	defer stop()
	fmt.Println(rdb.Incr(context.Background(), "visits").Val())
	v, err := goredis.New(rdb).DoStrings(context.Background(), "INCR", "visits") // for scripts and ready scripts
	fmt.Println(v, err)
	// Output:
	// 1
	// (integer) 2 <nil>
}

func ExampleOpen() {
	rdb, err := goredis.Open("redis://ann:secret@localhost:6379/3?pool_size=50") // it connects later
	if err != nil {
		panic(err)
	}
	defer rdb.Close()
	o := rdb.(*redis.Client).Options()
	fmt.Println(o.Addr, o.Username, o.DB, o.PoolSize)

	_, err = goredis.Open("redis+cluster://localhost/3?addr=other:6379")
	fmt.Println(err)
	// Output:
	// localhost:6379 ann 3 50
	// goredis: bad address redis+cluster://localhost/3?addr=other:6379: a cluster has no databases to choose from
}

// The ready scripts and all code that takes an [engine.Client] run on a server and on an engine
// alike.
func Example() {
	ctx := context.Background()
	rdb, stop := server()
	defer stop()
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()

	for _, c := range []engine.Client{goredis.New(rdb), e} {
		activity, err := redpacket.New(c, "new-year", redpacket.Options{})
		if err != nil {
			panic(err)
		}
		if err := activity.Open(ctx, []redpacket.Packet{{ID: "p1", Amount: 888}}); err != nil {
			panic(err)
		}
		got, err := activity.Grab(ctx, "ann")
		fmt.Println(got.Amount, err)
	}
	// Output:
	// 888 <nil>
	// 888 <nil>
}

// An error that wraps engine.ErrUnknown means that the command may have run; after other errors it
// has not.
func ExampleClient() {
	ctx := context.Background()
	rdb, stop := server()
	defer stop()
	c := goredis.New(rdb)
	increment := func(key string) error {
		_, err := c.DoStrings(ctx, "INCR", key)
		switch {
		case errors.Is(err, engine.ErrUnknown):
			return fmt.Errorf("read %s before you try again: %w", key, err)
		case err != nil:
			return fmt.Errorf("%s is unchanged: %w", key, err)
		}
		return nil
	}
	fmt.Println(increment("visits"))
	fmt.Println(c.DoStrings(ctx, "RPUSH", "queue", "job"))
	fmt.Println(increment("queue"))
	// Output:
	// <nil>
	// (integer) 1 <nil>
	// queue is unchanged: WRONGTYPE Operation against a key holding the wrong kind of value
}
