package goredis_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/goredis"
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
