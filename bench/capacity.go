package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/goredis"
	"github.com/redmoon-lua/redmoon/scripts/coupon"
	"github.com/redmoon-lua/redmoon/scripts/delayqueue"
	"github.com/redmoon-lua/redmoon/scripts/lock"
	"github.com/redmoon-lua/redmoon/scripts/ratelimit"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
	"github.com/redmoon-lua/redmoon/scripts/stock"
)

// capacity is something that a ready script stores. Its functions store the things from first up to
// last.
type capacity struct {
	name  string
	make  func(ctx context.Context, c engine.Client) (func(i int) error, error)
	batch int // things that one call stores; 0: one
}

// capacities are what docs/capacity.md lists. Users and tokens have 12 bytes.
func capacities() []capacity {
	return []capacity{
		{name: "a packet that nobody has", batch: 1000, make: packetsLeft},
		{name: "a packet that a user has", make: packetsGrabbed},
		{name: "a coupon claim, limits per user and day and in total", make: couponClaims},
		{name: "an order that is reserved, of one item", make: orders(false)},
		{name: "an order that is sold and remembered", make: orders(true)},
		{name: "a lock that is held", make: locks},
		{name: "a key of a rate limit, GCRA", make: limits(ratelimit.GCRA)},
		{name: "a key of a rate limit, log, with one call", make: limits(ratelimit.SlidingLog)},
		{name: "a message that waits, payload of 100 bytes", make: messages(0)},
		{name: "a message that is due later", make: messages(time.Hour)},
	}
}

func capacityUser(i int) string { return fmt.Sprintf("user:%07d", i) }

func manyPackets(first, n int) []redpacket.Packet {
	list := make([]redpacket.Packet, n)
	for i := range list {
		list[i] = redpacket.Packet{ID: strconv.Itoa(first + i), Amount: 888}
	}
	return list
}

func packetsLeft(ctx context.Context, c engine.Client) (func(int) error, error) {
	return func(i int) error {
		a, err := redpacket.New(c, "a"+strconv.Itoa(i), redpacket.Options{Sender: "boss", TTL: 24 * time.Hour})
		if err != nil {
			return err
		}
		return a.Open(ctx, manyPackets(i, 1000))
	}, nil
}

func packetsGrabbed(ctx context.Context, c engine.Client) (func(int) error, error) {
	var a *redpacket.Activity
	return func(i int) (err error) {
		if i%1000 == 0 {
			if a, err = redpacket.New(c, "a"+strconv.Itoa(i), redpacket.Options{Sender: "boss", TTL: 24 * time.Hour}); err != nil {
				return err
			}
			if err := a.Open(ctx, manyPackets(i, 1000)); err != nil {
				return err
			}
		}
		_, err = a.Grab(ctx, capacityUser(i))
		return err
	}, nil
}

func couponClaims(ctx context.Context, c engine.Client) (func(int) error, error) {
	spring, err := coupon.New(c, "spring", coupon.Options{
		Limits: []coupon.Limit{coupon.PerUserAndDay(1), coupon.InTotal(100_000_000)},
	})
	return func(i int) error {
		_, err := spring.Claim(ctx, fmt.Sprintf("claim%07d", i), coupon.Fields{"user": capacityUser(i)})
		return err
	}, err
}

func orders(sold bool) func(context.Context, engine.Client) (func(int) error, error) {
	return func(ctx context.Context, c engine.Client) (func(int) error, error) {
		sale, err := stock.New(c, "sale", stock.Options{Hold: time.Hour})
		if err != nil {
			return nil, err
		}
		if err := sale.Define(ctx, stock.Item{Name: "phone"}); err != nil {
			return nil, err
		}
		if err := sale.Supply(ctx, "delivery", "phone", 100_000_000); err != nil {
			return nil, err
		}
		if err := sale.Open(ctx); err != nil {
			return nil, err
		}
		return func(i int) error {
			token := fmt.Sprintf("order%07d", i)
			_, err := sale.Reserve(ctx, token, capacityUser(i), stock.Line{Item: "phone", Quantity: 1})
			if err == nil && sold {
				_, err = sale.Confirm(ctx, token)
			}
			return err
		}, nil
	}
}

func locks(ctx context.Context, c engine.Client) (func(int) error, error) {
	return func(i int) error {
		l, err := lock.New(c, fmt.Sprintf("lock:%07d", i), lock.Options{TTL: time.Hour})
		if err == nil {
			_, err = l.Acquire(ctx)
		}
		return err
	}, nil
}

func limits(algorithm ratelimit.Algorithm) func(context.Context, engine.Client) (func(int) error, error) {
	return func(ctx context.Context, c engine.Client) (func(int) error, error) {
		l, err := ratelimit.New(c, "api", ratelimit.Options{Algorithm: algorithm, Limit: 100, Period: time.Hour})
		return func(i int) error {
			_, err := l.Allow(ctx, capacityUser(i), 1)
			return err
		}, err
	}
}

func messages(after time.Duration) func(context.Context, engine.Client) (func(int) error, error) {
	return func(ctx context.Context, c engine.Client) (func(int) error, error) {
		q, err := delayqueue.New(c, "work", delayqueue.Options{})
		payload := []byte(strings.Repeat("x", 100))
		return func(i int) error {
			_, err := q.EnqueueAfter(ctx, delayqueue.Message{ID: fmt.Sprintf("message%07d", i), Payload: payload}, after)
			return err
		}, err
	}
}

// capacityThings is how many things runCapacity stores of each kind.
const capacityThings = 50_000

// runCapacity prints how many bytes the things take that ready scripts store, as used_memory shows
// it: on an engine that is the live heap of its keyspace.
func runCapacity(opt options) error {
	fmt.Println("bytes a thing, of used_memory")
	fmt.Println()
	tw := newTable(os.Stdout)
	fmt.Fprintln(tw, "\tredmoon\tredis-server\t")
	for _, s := range capacities() {
		if !strings.Contains(s.name, opt.match) {
			continue
		}
		ours, err := capacityHere(s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		theirs, err := capacityOfRedis(s)
		if err != nil {
			return fmt.Errorf("%s: on redis-server: %w", s.name, err)
		}
		fmt.Fprintf(tw, "%s\t%.0f\t%.0f\t\n", s.name, ours, theirs)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	fmt.Println()
	return nil
}

// fill stores capacityThings things.
func (s capacity) fill(c engine.Client) error {
	add, err := s.make(context.Background(), c)
	if err != nil {
		return err
	}
	for i := 0; i < capacityThings; i += max(1, s.batch) {
		if err := add(i); err != nil {
			return err
		}
	}
	return nil
}

func capacityHere(s capacity) (bytes float64, err error) {
	e, err := engine.New(engine.Options{})
	if err != nil {
		return 0, err
	}
	defer e.Close()
	return s.measure(e, func() (string, error) {
		info, err := e.Do(context.Background(), "INFO", "memory")
		return info.Text(), err
	})
}

// measure fills c and returns by how many bytes a thing used_memory grows, which info shows.
func (s capacity) measure(c engine.Client, info func() (string, error)) (bytes float64, err error) {
	var used [2]float64
	for i := range used {
		if i == 1 {
			if err := s.fill(c); err != nil {
				return 0, err
			}
		}
		text, err := info()
		if err != nil {
			return 0, err
		}
		if used[i], err = infoField(text, "used_memory"); err != nil {
			return 0, err
		}
	}
	return (used[1] - used[0]) / capacityThings, nil
}

// capacityOfRedis returns 0 if there is no redis-server.
func capacityOfRedis(s capacity) (bytes float64, err error) {
	server, err := startServer("redis-server")
	defer server.end()
	if errors.Is(err, exec.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	c := redis.NewClient(&redis.Options{Addr: fmt.Sprintf("127.0.0.1:%d", server.port), Protocol: 2})
	defer c.Close()
	return s.measure(goredis.New(c), func() (string, error) { return c.Info(context.Background(), "memory").Result() })
}
