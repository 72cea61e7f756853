package engine_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/reply"
)

func Example() {
	ctx := context.Background()
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()

	grab := engine.NewScript(`
		if redis.call('HSETNX', KEYS[2], ARGV[1], 1) == 0 then return false end
		return redis.call('RPOP', KEYS[1])`)
	e.Do(ctx, "LPUSH", "{rain}:packets", "p1", "p2")
	packet, err := grab.Run(ctx, e, []string{"{rain}:packets", "{rain}:users"}, "ann")
	fmt.Println(packet.Text(), err)
	// Output: p1 <nil>
}

func ExampleEngine_Do() {
	ctx := context.Background()
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()

	e.Do(ctx, "SET", "visits", 41)
	v, err := e.Do(ctx, "INCR", "visits")
	if err != nil {
		panic(err)
	}
	visits, err := v.Int()
	fmt.Println(visits, err)

	_, err = e.Do(ctx, "LPUSH", "visits", "x")
	fmt.Println(errors.Is(err, engine.ErrWrongType))
	// Output:
	// 42 <nil>
	// true
}

func ExampleSession() {
	ctx := context.Background()
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()

	s, err := e.NewSession()
	if err != nil {
		panic(err)
	}
	defer s.Close()
	s.Do(ctx, "MULTI")
	s.Do(ctx, "SET", "k", "v")
	s.Do(ctx, "STRLEN", "k")
	v, err := s.Do(ctx, "EXEC")
	fmt.Println(v.Strings(), err)
	// Output: [OK 1] <nil>
}

func ExampleEngine_Pipeline() {
	ctx := context.Background()
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()

	replies, err := e.Pipeline().Do("INCR", "n").Do("INCR", "n").Do("GET", "n").Exec(ctx)
	for _, v := range replies {
		fmt.Println(v.Kind(), v.Text())
	}
	fmt.Println(err)
	// Output:
	// integer 1
	// integer 2
	// bulk 2
	// <nil>
}

func ExampleSession_Subscribe() {
	ctx := context.Background()
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	s, err := e.NewSession()
	if err != nil {
		panic(err)
	}
	defer s.Close()

	if err := s.Subscribe(ctx, "news"); err != nil {
		panic(err)
	}
	e.Do(ctx, "PUBLISH", "news", "the moon is red")
	e.Do(ctx, "PUBLISH", "news", "bye")
	for m := range s.Messages() {
		fmt.Println(m.Channel, m.Payload)
		if m.Payload == "bye" {
			break
		}
	}
	// Output:
	// news the moon is red
	// news bye
}

// fakeRunner returns the same reply for every script, and notes the keys. It replaces an engine in
// a test of code that only runs scripts.
type fakeRunner struct {
	reply engine.Value
	keys  []string
}

func (f *fakeRunner) RunScript(_ context.Context, _ *engine.Script, keys, _ []string) (engine.Value, error) {
	f.keys = append(f.keys, keys...)
	return f.reply, f.reply.Err()
}

func ExampleRunner() {
	ctx := context.Background()
	left := engine.NewScript("return redis.call('DECRBY', KEYS[1], ARGV[1])")

	shop := &fakeRunner{reply: reply.Int(41)}
	v, err := left.Run(ctx, shop, []string{"stock"}, 1)
	if err != nil {
		panic(err)
	}
	n, err := v.Int()
	fmt.Println(n, err, shop.keys)

	broken := &fakeRunner{reply: reply.Err("READONLY You can't write against a read only replica.")}
	_, err = left.Run(ctx, broken, []string{"stock"}, 1)
	fmt.Println(errors.Is(err, &engine.Error{Code: "READONLY"}))
	// Output:
	// 41 <nil> [stock]
	// true
}

func ExampleEngine_View() {
	ctx := context.Background()
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()

	e.Do(ctx, "HSET", "user", "name", "ann")
	err = e.View(ctx, func(ks engine.Keyspace) error {
		for k := range ks.Keys(0) {
			fmt.Println(k.Name(), k.Type(), k.Encoding(), k.Value())
		}
		return nil
	})
	fmt.Println(err)
	// Output:
	// user hash listpack 1# "name" => "ann"
	// <nil>
}

func ExampleEngine_Stats() {
	ctx := context.Background()
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()

	hit := engine.NewScript("return redis.call('INCR', KEYS[1])").Named("hit.lua")
	for range 3 {
		hit.Run(ctx, e, []string{"visits"})
	}
	e.Do(ctx, "LPUSH", "visits", 1)

	s, err := e.Stats(ctx)
	if err != nil {
		panic(err)
	}
	for _, script := range s.Scripts {
		fmt.Println(script.Label(), "runs:", script.Calls, "failed:", script.Failed)
	}
	fmt.Println("keys:", s.Keys(), "wrong types:", s.Errors["WRONGTYPE"])
	// Output:
	// hit.lua runs: 3 failed: 0
	// keys: 1 wrong types: 1
}
