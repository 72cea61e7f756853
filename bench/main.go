// Command bench compares Redmoon with redis-server and miniredis side by side: the same work,
// alternating in one run, so that a noisy machine disturbs all of them alike. It
// prints operations per second and ratios.
//
//	go run . [-rounds 7] [-time 400ms] [-only redpacket,get]
//
// Without redis-server on the PATH its columns are left out.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// Concurrency of every target but those for one caller.
const workers = 20

func main() {
	log.SetFlags(0)
	rounds := flag.Int("rounds", 7, "rounds; each measures every target once")
	box := flag.Duration("time", 400*time.Millisecond, "aimed length of one measurement")
	only := flag.String("only", "", "comma-separated workloads; all when empty")
	child := flag.String("child", "", "internal: run as a server (redmoon, miniredis)")
	flag.Parse()
	if *child != "" {
		serveChild(*child)
		return
	}
	if err := run(*rounds, *box, *only); err != nil {
		log.Fatal("bench: ", err)
	}
}

func run(rounds int, box time.Duration, only string) error {
	targets, stop, err := startTargets()
	defer stop()
	if err != nil {
		return err
	}
	fmt.Printf("%s, %d CPUs, %s; %d connections or goroutines, %d rounds of %v\n\n",
		runtime.Version(), runtime.NumCPU(), redisVersion(), workers, rounds, box)
	var results []*result
	for _, w := range workloads() {
		if only != "" && !contains(strings.Split(only, ","), w.name) {
			continue
		}
		rs, err := measure(w, targets, rounds, box)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		printTable(os.Stdout, w, rs)
		results = append(results, rs...)
	}
	printVerdict(os.Stdout, results)
	return nil
}

func redisVersion() string {
	out, err := exec.Command("redis-server", "--version").Output()
	if err != nil {
		return "no redis-server"
	}
	for _, f := range strings.Fields(string(out)) {
		if v, ok := strings.CutPrefix(f, "v="); ok {
			return "redis-server " + v
		}
	}
	return "redis-server"
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if strings.TrimSpace(x) == s {
			return true
		}
	}
	return false
}
