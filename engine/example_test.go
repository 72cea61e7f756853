package engine_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/redmoon-lua/redmoon/engine"
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
	fmt.Println(v.MustInt(), err)

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
