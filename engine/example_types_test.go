package engine_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
)

// transfer moves cents between two accounts, whose keys share a slot.
var transfer = engine.NewScript(`
	if tonumber(redis.call('GET', KEYS[1]) or 0) < tonumber(ARGV[1]) then
		return redis.error_reply('FUNDS not enough money')
	end
	redis.call('DECRBY', KEYS[1], ARGV[1])
	return redis.call('INCRBY', KEYS[2], ARGV[1])`)

// A script is a package variable. It runs on any engine, session, cluster or server.
func ExampleScript() {
	ctx := context.Background()
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()

	e.Do(ctx, "SET", "{bank}:ann", 500)
	accounts := []string{"{bank}:ann", "{bank}:bob"}
	v, err := transfer.Run(ctx, e, accounts, 300)
	if err != nil {
		panic(err)
	}
	fmt.Println(v.Int())

	_, err = transfer.Run(ctx, e, accounts, 300)
	var refused *engine.Error
	fmt.Println(errors.As(err, &refused) && refused.Code == "FUNDS")
	// Output:
	// 300 <nil>
	// true
}

// With a virtual clock a program moves the time of an engine by hand. Package redmoontest does so
// for tests.
func ExampleVirtualClock() {
	ctx := context.Background()
	clock := engine.NewVirtualClock(time.Unix(1_700_000_000, 0))
	e, err := engine.New(engine.Options{Clock: clock})
	if err != nil {
		panic(err)
	}
	defer e.Close()

	e.Do(ctx, "SET", "session", "ann", "EX", 60)
	clock.Advance(45 * time.Second)
	ttl, _ := e.Do(ctx, "TTL", "session")
	fmt.Println(ttl)
	clock.Advance(16 * time.Second)
	session, _ := e.Do(ctx, "GET", "session")
	fmt.Println(session)
	// Output:
	// (integer) 15
	// (nil)
}

// Restore undoes everything since a snapshot, for example between two tests of one engine.
func ExampleEngine_Restore() {
	ctx := context.Background()
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()

	e.Do(ctx, "SET", "mode", "on")
	before, err := e.Snapshot()
	if err != nil {
		panic(err)
	}
	e.Do(ctx, "FLUSHALL")
	if err := e.Restore(before); err != nil {
		panic(err)
	}
	fmt.Println(e.Do(ctx, "GET", "mode"))
	// Output: "on" <nil>
}

// Commands describes commands, for completion and help.
func ExampleCommands() {
	redis7, _ := engine.CommandsOf("7.0")
	fmt.Println(redis7.Hint("expire", "key"))
	fmt.Println(redis7.Keys("BITOP", "AND", "both", "a", "b"))
	doc, ok := redis7.Describe("config", "get")
	fmt.Println(doc.Name, doc.Since, ok)
	// Output:
	// seconds [NX|XX|GT|LT]
	// [2 3 4]
	// CONFIG GET 2.0.0 true
}
