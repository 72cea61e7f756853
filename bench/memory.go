package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
)

// memorySubject is a keyspace whose size is measured.
type memorySubject struct {
	name string
	n    int // elements
	filling
}

// perHash is the number of fields of a small hash.
const perHash = 5

func memorySubjects() []memorySubject {
	const million = 1_000_000
	pair := func(args []string, i int) []string { return append(args, "user:"+member(i), "value:"+strconv.Itoa(i)) }
	field := func(args []string, i int) []string { return append(args, member(i), "v"+strconv.Itoa(i)) }
	one := func(args []string, i int) []string { return append(args, member(i)) }
	number := func(args []string, i int) []string { return append(args, strconv.Itoa(i)) }
	return []memorySubject{
		{"strings", million, filling{100, []string{"MSET"}, pair}},
		{"strings that are numbers", million, filling{100, []string{"MSET"}, func(args []string, i int) []string {
			return append(args, "user:"+member(i), strconv.Itoa(1_000_000+i))
		}}},
		{"hashes of 5 fields", million, filling{1, []string{"HSET"}, smallHash}},
		{"fields of a hash", million, filling{100, []string{"HSET", "big"}, field}},
		{"members of a set", million, filling{100, []string{"SADD", "big"}, one}},
		{"members of a sorted set", million, filling{100, []string{"ZADD", "big"}, func(args []string, i int) []string {
			return append(args, score(i), member(i))
		}}},
		{"elements of a list", million, filling{100, []string{"RPUSH", "big"}, one}},
		{"numbers in a list", million, filling{100, []string{"RPUSH", "big"}, number}},
		{"sets of 5 numbers", million, filling{1, []string{"SADD"}, func(args []string, i int) []string {
			args = append(args, "set:"+member(i))
			for k := range 5 {
				args = append(args, strconv.Itoa(i+k))
			}
			return args
		}}},
		{"sorted sets of 5 members", million / 2, filling{1, []string{"ZADD"}, func(args []string, i int) []string {
			args = append(args, "zset:"+member(i))
			for k := range 5 {
				args = append(args, strconv.Itoa(i+k), "member"+strconv.Itoa(k))
			}
			return args
		}}},
		{"lists of 5 elements", million / 2, filling{1, []string{"RPUSH"}, func(args []string, i int) []string {
			args = append(args, "list:"+member(i))
			for k := range 5 {
				args = append(args, "element"+strconv.Itoa(k))
			}
			return args
		}}},
		{"entries of a stream", million, filling{1, []string{"XADD", "big"}, func(args []string, i int) []string {
			return append(args, streamID(i), "user", member(i), "amount", strconv.Itoa(i%1000))
		}}},
	}
}

func smallHash(args []string, i int) []string {
	args = append(args, "user:"+member(i))
	for k := range perHash {
		args = append(args, "field"+strconv.Itoa(k), strconv.Itoa(i+k))
	}
	return args
}

// memoryBound is the greatest allowed ratio of Redmoon's bytes to redis-server's.
const memoryBound = 2

// runMemory compares the bytes per element: the live heap of an engine in this process, and
// redis-server's used_memory.
func runMemory(opt options) error {
	fmt.Println("bytes per element: the live heap of an in-process engine, and used_memory of redis-server")
	fmt.Println()
	tw := newTable(os.Stdout)
	fmt.Fprintln(tw, "\telements\tredmoon\tredis-server\tredmoon ÷ redis-server\t\t")
	above := 0
	for _, s := range memorySubjects() {
		if !strings.Contains(s.name, opt.match) {
			continue
		}
		ours, err := heapOf(s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		theirs, err := usedMemoryOf(s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		fmt.Fprintf(tw, "%s\t%d\t%.1f\t", s.name, s.n, ours)
		if theirs == 0 {
			fmt.Fprintln(tw, "-\t-\t\t")
			continue
		}
		mark := ""
		if ours/theirs > memoryBound {
			mark = "!"
			above++
		}
		fmt.Fprintf(tw, "%.1f\t%.2f\t%s\t\n", theirs, ours/theirs, mark)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	fmt.Printf("\n%d ratios above %d\n\n", above, memoryBound)
	return nil
}

func heapOf(s memorySubject) (bytes float64, err error) {
	e, err := engine.New(engine.Options{})
	if err != nil {
		return 0, err
	}
	defer e.Close()
	before := liveHeap()
	if err := s.fill(engineStore{e}, 0, s.n); err != nil {
		return 0, err
	}
	return float64(liveHeap()-before) / float64(s.n), nil
}

func liveHeap() uint64 {
	for range 2 { // the second frees what is in a sync.Pool
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// usedMemoryOf returns 0 if there is no redis-server.
func usedMemoryOf(s memorySubject) (bytes float64, err error) {
	r, err := startRedisStore()
	if r == nil || err != nil {
		return 0, err
	}
	defer r.stop()
	before, err := r.info("memory", "used_memory")
	if err != nil {
		return 0, err
	}
	if err := s.fill(r, 0, s.n); err != nil {
		return 0, err
	}
	after, err := r.info("memory", "used_memory")
	return (after - before) / float64(s.n), err
}
