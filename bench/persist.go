package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/persist"
)

// runPersist measures what files cost: grabs with an append-only file, the time to save and to load
// a dump, and how long a GET waits while files are written.
func runPersist(opt options) error {
	for _, part := range []struct {
		name string
		run  func(options) error
	}{{"grab", grabsWithFiles}, {"dump", dumpTimes}, {"wait", waitsWhileSaving}} {
		if !opt.matches(part.name) {
			continue
		}
		if err := part.run(opt); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return nil
}

// withFiles returns an engine with files in a new directory, and a function that ends it and
// removes them.
func withFiles(o persist.Options) (*engine.Engine, func(), error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, nil, err
	}
	o.Dir = dir
	e, err := engine.New(engine.Options{Persistence: persist.New(o)})
	if err != nil {
		os.RemoveAll(dir)
		return nil, nil, err
	}
	return e, func() { e.Close(); os.RemoveAll(dir) }, nil
}

// engineAndDir is an engine that removes its directory when it is closed.
type engineAndDir struct {
	*engine.Engine
	end func()
}

func (e engineAndDir) Close() error { e.end(); return nil }

// serverWithFiles starts a redis-server in a new directory.
func serverWithFiles(args ...string) (*redis.Client, func(), error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, nil, err
	}
	server, err := startServer("redis-server", append([]string{"--dir", dir, "--enable-debug-command", "yes"}, args...)...)
	end := func() { server.end(); os.RemoveAll(dir) }
	if err != nil {
		end()
		return nil, nil, err
	}
	return redis.NewClient(&redis.Options{
		Addr: fmt.Sprintf("127.0.0.1:%d", server.port), PoolSize: workers, MinIdleConns: workers, Protocol: 2,
		DisableIdentity: true, ReadTimeout: 10 * time.Minute,
	}), end, nil
}

// grabsWithFiles compares grabs with appendfsync always here and on redis-server, and with
// everysec and without files.
func grabsWithFiles(opt options) error {
	grabs := func(o *persist.Options) func(workload, int) (time.Duration, error) {
		return calling(opt.watch, workers, func() (embedded, error) {
			if o == nil {
				return oneEngine()
			}
			e, end, err := withFiles(*o)
			return engineAndDir{e, end}, err
		})
	}
	targets := []target{
		{name: "no files", run: grabs(nil)},
		{name: "everysec", run: grabs(&persist.Options{AppendOnly: true})},
		{name: "always", run: grabs(&persist.Options{AppendOnly: true, AppendFsync: "always"})},
	}
	if !opt.local {
		c, end, err := serverWithFiles("--appendonly", "yes", "--appendfsync", "always")
		if err != nil {
			return err
		}
		defer end()
		defer c.Close()
		targets = append(targets, target{name: "redis-server, always", run: loopback(opt.watch, c, 1)})
	}
	w := redpacketWorkload()
	rs, err := measure(w, targets, opt.rounds, opt.box)
	if err != nil {
		return err
	}
	printAgainstBase(os.Stdout, w, rs, "redis-server, always")
	fmt.Printf("no files ÷ everysec: %v, at most 1.15\n", ratioOf(rs[0].rates, rs[1].rates))
	if !opt.local {
		fmt.Printf("always ÷ redis-server, always: %v, at least 1.5\n", ratioOf(rs[2].rates, rs[3].rates))
	}
	fmt.Println()
	return nil
}

// dumpKeys is the number of keys in dumpTimes.
const dumpKeys = 1_000_000

// appendDumpCommand appends a command that makes key i: six of ten are strings.
func appendDumpCommand(dst []string, i int) []string {
	key := numbered("key:", i)
	list := func(command string, n int, each func(j int)) []string {
		dst = append(dst, command, key)
		for j := range n {
			each(j)
		}
		return dst
	}
	element := func(j int) { dst = append(dst, "element:"+strconv.Itoa(i*7+j)) }
	switch i % 10 {
	case 0, 1:
		return list("HSET", 5, func(j int) { dst = append(dst, "field"+strconv.Itoa(j)); element(j) })
	case 2:
		return list("RPUSH", 10, element)
	case 3:
		if i%20 == 3 {
			return list("SADD", 10, element)
		}
		return list("ZADD", 10, func(j int) { dst = append(dst, strconv.Itoa(j*i%1000)); element(j) })
	}
	return append(dst, "SET", key, numbered("value of some length:", i))
}

// dumpSide is a place whose dumps are measured.
type dumpSide struct {
	name         string
	do           func(args ...string) error
	saves, loads []float64 // seconds, one per round
}

func dumpTimes(opt options) error {
	if opt.local {
		return nil
	}
	ctx := context.Background()
	e, endEngine, err := withFiles(persist.Options{})
	if err != nil {
		return err
	}
	defer endEngine()
	c, end, err := serverWithFiles()
	if err != nil {
		return err
	}
	defer end()
	defer c.Close()
	pipe := c.Pipeline()
	for i := range dumpKeys {
		cmd := appendDumpCommand(nil, i)
		if _, err := e.DoStrings(ctx, cmd...); err != nil {
			return err
		}
		args := make([]any, len(cmd))
		for j, s := range cmd {
			args[j] = s
		}
		pipe.Do(ctx, args...)
		if i%1000 == 999 {
			if _, err := pipe.Exec(ctx); err != nil {
				return err
			}
		}
	}
	sides := []*dumpSide{
		{name: "in-process", do: func(args ...string) error {
			v, err := e.DoStrings(ctx, args...)
			if err == nil {
				err = v.Err()
			}
			return err
		}},
		{name: "redis-server", do: func(args ...string) error {
			list := make([]any, len(args))
			for i, s := range args {
				list[i] = s
			}
			return c.Do(ctx, list...).Err()
		}},
	}
	for round := range opt.rounds {
		for k := range sides {
			if err := sides[(round+k)%len(sides)].round(opt); err != nil {
				return err
			}
		}
	}
	tw := newTable(os.Stdout)
	fmt.Fprintf(tw, "%d keys\tsave s\tload s\t\n", dumpKeys)
	for _, s := range sides {
		fmt.Fprintf(tw, "%s\t%.2f\t%.2f\t\n", s.name, median(s.saves), median(s.loads))
	}
	tw.Flush()
	fmt.Printf("\nsave: in-process ÷ redis-server: %v, at most 1.5\nload: in-process ÷ redis-server: %v, at most 1.5\n\n",
		ratioOf(sides[0].saves, sides[1].saves), ratioOf(sides[0].loads, sides[1].loads))
	return nil
}

// round saves a dump, empties the data set and loads the dump.
func (s *dumpSide) round(opt options) error {
	timed := func(list *[]float64, args ...string) error {
		start := opt.watch()
		err := s.do(args...)
		*list = append(*list, (opt.watch() - start).Seconds())
		return err
	}
	if err := timed(&s.saves, "SAVE"); err != nil {
		return err
	}
	if err := s.do("FLUSHALL"); err != nil {
		return err
	}
	return timed(&s.loads, "DEBUG", "RELOAD", "NOSAVE")
}

// waitKeys is the number of keys in waitsWhileSaving.
const waitKeys = 5_000_000

// waitsWhileSaving measures how long a GET takes while nothing is written, and during BGSAVE and
// BGREWRITEAOF.
func waitsWhileSaving(opt options) error {
	ctx := context.Background()
	e, end, err := withFiles(persist.Options{AppendOnly: true, AppendFsync: "no"})
	if err != nil {
		return err
	}
	defer end()
	do := func(args ...string) (string, error) {
		v, err := e.DoStrings(ctx, args...)
		if err == nil {
			err = v.Err()
		}
		return v.Text(), err
	}
	if _, err := do("CONFIG", "SET", "auto-aof-rewrite-percentage", "0"); err != nil { // one runs when it is measured
		return err
	}
	for first := 0; first < waitKeys; first += 100 {
		cmd := []string{"MSET"}
		for i := first; i < first+100; i++ {
			cmd = append(cmd, numbered("key:", i), numbered("value of some length:", i))
		}
		if _, err := do(cmd...); err != nil {
			return err
		}
	}
	tw := newTable(os.Stdout)
	fmt.Fprintf(tw, "GET, %d keys\tcalls\tp50 µs\tp99 µs\tp99.9 µs\tlongest ms\t\n", waitKeys)
	for _, way := range []struct{ command, busy string }{
		{"PING", ""}, {"BGSAVE", "rdb_bgsave_in_progress:1"}, {"PING", ""}, {"BGREWRITEAOF", "aof_rewrite_in_progress:1"},
	} {
		if _, err := do(way.command); err != nil {
			return err
		}
		var took []float64 // µs
		for start, i := time.Now(), 0; ; i++ {
			began := time.Now()
			if _, err := do("GET", numbered("key:", i*7919%waitKeys)); err != nil {
				return err
			}
			took = append(took, float64(time.Since(began).Nanoseconds())/1000)
			if i%1000 != 999 {
				continue
			}
			if way.busy == "" && time.Since(start) > 3*time.Second {
				break
			}
			if info, err := do("INFO", "persistence"); err != nil || way.busy != "" && !strings.Contains(info, way.busy) {
				break
			}
		}
		slices.Sort(took)
		at := func(part float64) float64 { return took[int(part*float64(len(took)-1))] }
		fmt.Fprintf(tw, "%s\t%d\t%.1f\t%.1f\t%.1f\t%.2f\t\n", way.command, len(took), at(0.5), at(0.99), at(0.999), at(1)/1000)
	}
	tw.Flush()
	fmt.Println("the bound of p99 and of the longest is 10 ms")
	return nil
}
