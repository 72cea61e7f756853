package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/redis/go-redis/v9"
)

// loopbackConns is the number of connections, redis-benchmark's default.
const loopbackConns = 50

// loopbackPipeline is the pipeline length of the second half of the rows.
const loopbackPipeline = 16

// loopbackScript is the script of the EVALSHA row.
const loopbackScript = "redis.call('INCR', KEYS[1]) return redis.call('GET', KEYS[1])"

// loopbackCommands are the commands of the rows. redis-benchmark replaces __rand_int__ with a
// random number.
func loopbackCommands(sha string) map[string][]string {
	return map[string][]string{
		"SET":     {"SET", "key:__rand_int__", "xxx"},
		"GET":     {"GET", "key:__rand_int__"},
		"INCR":    {"INCR", "counter:__rand_int__"},
		"LPUSH":   {"LPUSH", "list", "xxx"},
		"HSET":    {"HSET", "hash", "element:__rand_int__", "xxx"},
		"ZADD":    {"ZADD", "zset", "0", "element:__rand_int__"},
		"EVALSHA": {"EVALSHA", sha, "1", "counter:__rand_int__"},
	}
}

var loopbackOrder = []string{"SET", "GET", "INCR", "LPUSH", "HSET", "ZADD", "EVALSHA"}

// benchmarked is the result that redis-benchmark printed for one run.
type benchmarked struct{ rate, p50, p99 float64 }

// runLoopback50 runs redis-benchmark against redmoon and redis-server in turn.
func runLoopback50(opt options) error {
	ports, stop, err := startBoth()
	defer stop()
	if err != nil {
		return err
	}
	tw := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "redis-benchmark -c 50\tredmoon/s\tredis-server/s\tleast ÷\tmedian ÷\tgreatest ÷\t"+
		"p50 ms\tredis p50\tp99 ms\tredis p99\t")
	for _, pipeline := range []int{1, loopbackPipeline} {
		for _, name := range loopbackOrder {
			if label := fmt.Sprintf("%s -P %2d", name, pipeline); opt.matches(label) {
				if err := loopbackRow(tw, label, name, pipeline, ports, opt); err != nil {
					return fmt.Errorf("%s: %w", label, err)
				}
			}
		}
	}
	return tw.Flush()
}

// loopbackRow measures one command on both servers. Their runs alternate, and so does the server
// that goes first.
func loopbackRow(tw *tabwriter.Writer, label, name string, pipeline int, ports map[string]int, opt options) error {
	runs := map[string][]benchmarked{}
	count := 50_000 * pipeline
	// the first round warms up and determines the number of requests that fill the time
	for round := range opt.rounds + 1 {
		slowest := 0.0
		for k := range both {
			server := both[(k+round)%2]
			b, err := redisBenchmark(ports[server], name, count, pipeline)
			if err != nil {
				return fmt.Errorf("%s: %w", server, err)
			}
			if slowest == 0 || b.rate < slowest {
				slowest = b.rate
			}
			if round > 0 {
				runs[server] = append(runs[server], b)
			}
		}
		if round == 0 {
			count = max(1000, int(slowest*opt.box.Seconds()))
		}
	}
	column := func(server string, f func(benchmarked) float64) (list []float64) {
		for _, b := range runs[server] {
			list = append(list, f(b))
		}
		return list
	}
	rate := func(b benchmarked) float64 { return b.rate }
	p50 := func(b benchmarked) float64 { return b.p50 }
	p99 := func(b benchmarked) float64 { return b.p99 }
	ours, theirs := column(both[0], rate), column(both[1], rate)
	var ratios []float64
	for i := range ours {
		ratios = append(ratios, ours[i]/theirs[i])
	}
	fmt.Fprintf(tw, "%s\t%.0f\t%.0f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t\n", label, median(ours), median(theirs),
		slices.Min(ratios), median(ratios), slices.Max(ratios),
		median(column(both[0], p50)), median(column(both[1], p50)), median(column(both[0], p99)), median(column(both[1], p99)))
	return nil
}

// redisBenchmark empties a server and runs redis-benchmark against it. Before that it checks that
// the command does not return an error.
func redisBenchmark(port int, name string, count, pipeline int) (b benchmarked, err error) {
	ctx := context.Background()
	c := redis.NewClient(&redis.Options{
		Addr: fmt.Sprintf("127.0.0.1:%d", port), Protocol: 2, DisableIdentity: true, ReadTimeout: time.Minute,
	})
	defer c.Close()
	if err := c.FlushAll(ctx).Err(); err != nil {
		return b, err
	}
	sha, err := c.ScriptLoad(ctx, loopbackScript).Result()
	if err != nil {
		return b, err
	}
	command := loopbackCommands(sha)[name]
	args := make([]any, len(command))
	for i, a := range command {
		args[i] = a
	}
	if err := c.Do(ctx, args...).Err(); err != nil && err != redis.Nil {
		return b, err
	}
	argv := append([]string{"-p", strconv.Itoa(port), "-c", strconv.Itoa(loopbackConns), "-n", strconv.Itoa(count), "-r", "100000",
		"-P", strconv.Itoa(pipeline), "--csv"}, command...)
	out, err := exec.Command("redis-benchmark", argv...).Output()
	if err != nil {
		return b, err
	}
	// A line of names, and one of numbers: test, rps, then the latencies avg, min, p50, p95, p99
	// and max in ms.
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	fields := strings.Split(strings.Trim(lines[len(lines)-1], `"`), `","`)
	if len(fields) != 8 {
		return b, fmt.Errorf("redis-benchmark printed %q", out)
	}
	for i, to := range map[int]*float64{1: &b.rate, 4: &b.p50, 6: &b.p99} {
		if *to, err = strconv.ParseFloat(fields[i], 64); err != nil {
			return b, err
		}
	}
	return b, nil
}
