package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// memorySubject is a keyspace whose size is measured.
type memorySubject struct {
	name string
	n    int // elements
	filling
	again int // times that all commands are repeated
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
		{"strings", million, filling{100, []string{"MSET"}, pair}, 0},
		{"strings, rewritten three times", million, filling{100, []string{"MSET"}, pair}, 3},
		{"strings that are numbers", million, filling{100, []string{"MSET"}, func(args []string, i int) []string {
			return append(args, "user:"+member(i), strconv.Itoa(1_000_000+i))
		}}, 0},
		{"hashes of 5 fields", million, filling{1, []string{"HSET"}, smallHash}, 0},
		{"fields of a hash", million, filling{100, []string{"HSET", "big"}, field}, 0},
		{"members of a set", million, filling{100, []string{"SADD", "big"}, one}, 0},
		{"members of a sorted set", million, filling{100, []string{"ZADD", "big"}, func(args []string, i int) []string {
			return append(args, score(i), member(i))
		}}, 0},
		{"elements of a list", million, filling{100, []string{"RPUSH", "big"}, one}, 0},
		{"numbers in a list", million, filling{100, []string{"RPUSH", "big"}, number}, 0},
		{"sets of 5 numbers", million, filling{1, []string{"SADD"}, func(args []string, i int) []string {
			args = append(args, "set:"+member(i))
			for k := range 5 {
				args = append(args, strconv.Itoa(i+k))
			}
			return args
		}}, 0},
		{"sorted sets of 5 members", million / 2, filling{1, []string{"ZADD"}, func(args []string, i int) []string {
			args = append(args, "zset:"+member(i))
			for k := range 5 {
				args = append(args, strconv.Itoa(i+k), "member"+strconv.Itoa(k))
			}
			return args
		}}, 0},
		{"lists of 5 elements", million / 2, filling{1, []string{"RPUSH"}, func(args []string, i int) []string {
			args = append(args, "list:"+member(i))
			for k := range 5 {
				args = append(args, "element"+strconv.Itoa(k))
			}
			return args
		}}, 0},
		{"entries of a stream", million, filling{1, []string{"XADD", "big"}, func(args []string, i int) []string {
			return append(args, streamID(i), "user", member(i), "amount", strconv.Itoa(i%1000))
		}}, 0},
	}
}

func smallHash(args []string, i int) []string {
	args = append(args, "user:"+member(i))
	for k := range perHash {
		args = append(args, "field"+strconv.Itoa(k), strconv.Itoa(i+k))
	}
	return args
}

// runMemory compares the bytes per element that redmoon and redis-server take from the system.
func runMemory(opt options) error {
	fmt.Println("bytes per element: resident memory (RSS) of each server's process, the same commands over a socket")
	fmt.Println()
	tw := newTable(os.Stdout)
	fmt.Fprintln(tw, "\telements\tredmoon\tredis-server\tredmoon ÷ redis-server\t")
	for _, s := range memorySubjects() {
		if !strings.Contains(s.name, opt.match) {
			continue
		}
		ours, err := residentOf("redmoon", s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		theirs, err := residentOf("redis-server", s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		fmt.Fprintf(tw, "%s\t%d\t%.1f\t", s.name, s.n, ours)
		if theirs == 0 {
			fmt.Fprintln(tw, "-\t-\t")
			continue
		}
		fmt.Fprintf(tw, "%.1f\t%.2f\t\n", theirs, ours/theirs)
	}
	return tw.Flush()
}

// residentOf returns 0 if there is no redis-server.
func residentOf(name string, s memorySubject) (bytes float64, err error) {
	r, err := startStore(name)
	if r == nil || err != nil {
		return 0, err
	}
	defer r.stop()
	before, err := r.resident()
	if err != nil {
		return 0, err
	}
	for range 1 + s.again {
		if err := s.fill(r, 0, s.n); err != nil {
			return 0, err
		}
	}
	after, err := r.resident()
	return (after - before) / float64(s.n), err
}
