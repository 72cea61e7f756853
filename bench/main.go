// Command bench compares Redmoon with redis-server and miniredis: the same work, alternating in one
// run, so that noise of the machine affects all of them equally. It prints operations per second
// and ratios.
//
//	go run . [-rounds 7] [-time 400ms] [-only redpacket,get]
//	go run . -only micro [-match table]        pure Lua: the bare VM, Redmoon, redis-server
//	go run . -only cjson                       JSON: gopher-json, Redmoon, redis-server
//	go run . -only shards                      one engine and clusters, all in-process
//	go run . -only scripts [-match lock]       ready scripts, in-process and on redis-server
//	go run . -only cost                        the same on 10^3, 10^5 and 10^7 elements
//	go run . -only compile [-rounds 3]         SCRIPT LOAD of long texts: time and peak memory
//	go run . -only memory                      resident bytes per element, of both servers
//	go run . -only start                       from a start to the reply of the first script
//	go run . -only capacity                    bytes of what ready scripts store
//	go run . -only order                       requests served in the wrong order
//	go run . -only loopback50 [-match ZADD]    redis-benchmark with 50 connections
//	go run . -only persist [-match dump]       files: cost of a call, time of a dump, longest waits
//	go run . -only debug                       the red packet script watched in three ways
//	go run . -against 6f7af44 -only redpacket  this tree and a commit, both in-process
//
// With -cpu it measures the processor time of this process, which is more precise on a shared
// machine. Without redis-server on the PATH its columns are omitted.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// workers is the number of connections or goroutines of every target except those for one caller.
const workers = 20

type options struct {
	rounds int
	box    time.Duration
	only   string
	match  string
	local  bool
	json   bool
	calls  bool
	cpu    bool
	watch  stopwatch
}

func main() {
	log.SetFlags(0)
	var opt options
	flag.IntVar(&opt.rounds, "rounds", 7, "rounds; each measures every target once")
	flag.DurationVar(&opt.box, "time", 400*time.Millisecond, "approximate time of one measurement; a tenth of it for micro and cjson")
	flag.StringVar(&opt.only, "only", "", "comma-separated: workloads, micro, cjson (default: all of these),\n"+
		"scripts, shards, cost, compile, order, loopback50, persist, debug, memory, start, capacity")
	flag.StringVar(&opt.match, "match", "", "only rows whose name contains this\n"+
		"(micro, scripts, shards, cost, compile, loopback50, memory)")
	flag.BoolVar(&opt.local, "local", false, "omit everything that needs a server")
	flag.BoolVar(&opt.calls, "calls", false, "with cost: send commands one at a time over loopback instead of in pipelines")
	flag.BoolVar(&opt.json, "json", false, "print the ns per operation of each round as JSON")
	flag.BoolVar(&opt.cpu, "cpu", false, "measure processor time, for a shared machine; implies -local")
	against := flag.String("against", "", "a commit: compare this tree with it, by alternating runs of two builds")
	child := flag.String("child", "", "internal: run as a server (redmoon, miniredis)")
	flag.Parse()
	opt.watch = wallClock()
	var err error
	if opt.cpu {
		opt.local = true
		if opt.watch, err = processorClock(); err != nil {
			log.Fatal("bench: ", err)
		}
	}
	switch {
	case *child != "":
		serveChild(*child)
	case *against != "":
		err = runAgainst(*against, opt)
	default:
		err = run(opt)
	}
	if err != nil {
		log.Fatal("bench: ", err)
	}
}

func (o options) wants(name string) bool {
	return o.only == "" || contains(strings.Split(o.only, ","), name)
}

// matches reports whether name contains the text of -match.
func (o options) matches(name string) bool { return strings.Contains(name, o.match) }

func (o options) time() string {
	if o.cpu {
		return "processor time"
	}
	return "wall time"
}

func run(opt options) error {
	if !opt.json {
		fmt.Printf("%s, %d CPUs, %s; %d connections or goroutines, %d rounds of %v, %s\n\n",
			runtime.Version(), runtime.NumCPU(), redisVersion(), workers, opt.rounds, opt.box, opt.time())
	}
	for name, part := range map[string]func(options) error{
		"cost": runCost, "compile": runCompile, "order": runOrder, "loopback50": runLoopback50,
		"debug": runDebug, "memory": runMemory, "capacity": runCapacity, "shards": runShards, "scripts": runScripts,
		"persist": runPersist, "start": runStart,
	} {
		if opt.only != "" && opt.wants(name) {
			if err := part(opt); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	records := []record{}
	for _, part := range []func(options) ([]record, error){runWorkloads, runPlayers} {
		rs, err := part(opt)
		if err != nil {
			return err
		}
		records = append(records, rs...)
	}
	if opt.json {
		return json.NewEncoder(os.Stdout).Encode(records)
	}
	return nil
}

// runWorkloads measures the workloads on whole engines and servers.
func runWorkloads(opt options) ([]record, error) {
	var list []workload
	for _, w := range workloads() {
		if opt.wants(w.name) {
			list = append(list, w)
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	targets, stop, err := startTargets(opt)
	defer stop()
	if err != nil {
		return nil, err
	}
	var results []*result
	var records []record
	for _, w := range list {
		rs, err := measure(w, targets, opt.rounds, opt.box)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.name, err)
		}
		if !opt.json {
			printTable(os.Stdout, w, rs)
		}
		for _, r := range rs {
			records = append(records, r.record())
		}
		results = append(results, rs...)
	}
	if !opt.json {
		printVerdict(os.Stdout, results)
		fmt.Println()
	}
	return records, nil
}

// runPlayers measures micro and cjson, which run inside a script.
func runPlayers(opt options) ([]record, error) {
	micro, cjson := opt.wants("micro"), opt.wants("cjson")
	if !micro && !cjson {
		return nil, nil
	}
	ps, stop, err := players(opt.local)
	defer stop()
	if err != nil {
		return nil, err
	}
	opt.box /= 10
	var records []record
	if micro {
		rs, err := runMicro(ps, opt)
		if err != nil {
			return nil, fmt.Errorf("micro: %w", err)
		}
		if !opt.json {
			printRaces(os.Stdout, "pure Lua", rs, microColumns, microRatios)
		}
		records = append(records, rs...)
	}
	if cjson {
		rs, err := runJSON(ps, opt)
		if err != nil {
			return nil, err
		}
		if !opt.json {
			printRaces(os.Stdout, "cjson: decode and encode", rs, microColumns, jsonRatios)
		}
		records = append(records, rs...)
	}
	return records, nil
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
