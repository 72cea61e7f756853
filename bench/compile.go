package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// Limits of the ratios Redmoon ÷ redis-server for one text: of the time and of the memory of SCRIPT
// LOAD.
const (
	compileTimeBound   = 4
	compileMemoryBound = 10
)

// compileShape is a long text of one shape.
type compileShape struct {
	name   string
	source func() string
}

func compileShapes() []compileShape {
	repeated := func(s string, n int) func() string { return func() string { return strings.Repeat(s, n) } }
	// numbered returns before, a piece for each number below n, and after.
	numbered := func(before, piece, after string, n int) func() string {
		return func() string {
			var b strings.Builder
			b.WriteString(before)
			for i := range n {
				fmt.Fprintf(&b, piece, i)
			}
			return b.String() + after
		}
	}
	return []compileShape{
		{"12 MB of a=a+1", repeated("a=a+1 ", 2_000_000)},
		{"blocks with a local", repeated("function f() "+strings.Repeat("do local x=1 end ", 100)+"end ", 7_000)},
		{"if blocks", repeated("if a then b() end ", 650_000)},
		{"a constructor of 6,000,000 elements", func() string { return "return {" + strings.Repeat("1,", 6_000_000) + "}" }},
		{"250,000 functions", repeated("a=function() end ", 250_000)},
		{"250,000 numbers that differ", numbered("return {", "%d.5,", "}", 250_000)},
		{"250,000 strings that differ", numbered("return {", "'a string, the %dth',", "}", 250_000)},
		{"250,000 fields", numbered("return {", "field%d=true,", "}", 250_000)},
		{"one string of 12 MB", func() string { return "return '" + strings.Repeat("x", 12_000_000) + "'" }},
		{"12 MB of comments", repeated("--x\n", 3_000_000)},
		{"a chain of 9,990 or", func() string { return "return a" + strings.Repeat(" or a", 9_990) }},
		{"190 parentheses around chains of +a", func() string {
			return "a=1 return " + strings.Repeat("(", 190) + "a" + strings.Repeat(strings.Repeat("+a", 9_990)+")", 190)
		}},
	}
}

// compiled is the cost of one SCRIPT LOAD.
type compiled struct {
	elapsed time.Duration
	memory  int64 // growth of the server's peak memory, in bytes
}

// runCompile compares the time of SCRIPT LOAD of long texts over loopback, and the growth of the
// server's peak memory. Each load has its own server.
func runCompile(opt options) error {
	fmt.Println("SCRIPT LOAD over loopback, medians: time, and growth of the server's peak memory")
	fmt.Println()
	tw := newTable(os.Stdout)
	fmt.Fprintln(tw, "\tKB\tredmoon ms\tredis ms\t÷\t\tredmoon MB\tredis MB\t÷\t\t")
	above := 0
	mark := func(ratio, bound float64) string {
		if ratio <= bound {
			return ""
		}
		above++
		return "!"
	}
	for _, s := range compileShapes() {
		if !opt.matches(s.name) {
			continue
		}
		source := s.source()
		times, memories := map[string][]float64{}, map[string][]float64{}
		for round := range opt.rounds {
			for k := range both {
				name := both[(k+round)%2]
				c, err := loadOnce(name, source)
				if err != nil {
					return fmt.Errorf("%s: %s: %w", s.name, name, err)
				}
				times[name] = append(times[name], float64(c.elapsed)/float64(time.Millisecond))
				memories[name] = append(memories[name], float64(c.memory)/1e6)
			}
		}
		ours, theirs := median(times[both[0]]), median(times[both[1]])
		took, takes := median(memories[both[0]]), median(memories[both[1]])
		fmt.Fprintf(tw, "%s\t%d\t%.1f\t%.1f\t%.2f\t%s\t%.1f\t%.1f\t%.2f\t%s\t\n", s.name, len(source)/1000,
			ours, theirs, ours/theirs, mark(ours/theirs, compileTimeBound), took, takes, took/takes, mark(took/takes, compileMemoryBound))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	fmt.Printf("\n%d ratios above the bounds: %d for time, %d for memory\n\n", above, compileTimeBound, compileMemoryBound)
	return nil
}

// loadOnce starts a server and loads one script.
func loadOnce(name, source string) (c compiled, err error) {
	s, err := startServer(name)
	defer s.end()
	if err != nil {
		return c, err
	}
	client := redis.NewClient(&redis.Options{
		Addr: fmt.Sprintf("127.0.0.1:%d", s.port), Protocol: 2, DisableIdentity: true,
		ReadTimeout: time.Minute, WriteTimeout: time.Minute, MaxRetries: -1,
	})
	defer client.Close()
	ctx := context.Background()
	// the first script creates the Lua state
	if err := client.ScriptLoad(ctx, "return 1").Err(); err != nil {
		return c, err
	}
	before, err := peakMemory(s.pid)
	if err != nil {
		return c, err
	}
	begin := time.Now()
	if err := client.ScriptLoad(ctx, source).Err(); err != nil {
		return c, err
	}
	c.elapsed = time.Since(begin)
	after, err := peakMemory(s.pid)
	c.memory = after - before
	return c, err
}

// peakMemory returns the peak memory of a process in bytes.
func peakMemory(pid int) (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0, fmt.Errorf("no VmHWM for process %d", pid)
	}
	kb, err := strconv.ParseInt(fields[0], 10, 64)
	return kb << 10, err
}
