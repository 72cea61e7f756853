package main

import (
	"fmt"
	"strings"
)

// callLoop does not run on the bare VM: it measures the gate.
var callLoop = subject{"redis.call, 1000 INCR", `for i = 1, 999 do redis.call('INCR', 'counter') end
redis.call('DEL', 'counter')
return 'done'`}

// runMicro measures the chunks whose name contains opt.match.
func runMicro(ps []player, opt options) ([]record, error) {
	list, err := subjects("tables", "language", "strings")
	if err != nil {
		return nil, err
	}
	var records []record
	for _, s := range append(list, callLoop) {
		if !strings.Contains(s.name, opt.match) {
			continue
		}
		in := ps
		if s == callLoop {
			in = ps[1:]
		}
		rs, err := raceChunk(in, s, opt)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		records = append(records, rs...)
	}
	return records, nil
}

// raceChunk measures one chunk on every player. All must return the same result.
func raceChunk(ps []player, s subject, opt options) ([]record, error) {
	calls, err := agree(ps, s.source)
	if err != nil {
		return nil, err
	}
	var runners []runner
	for i, p := range ps {
		runners = append(runners, runner{p.name, func() error { _, err := calls[i](); return err }})
	}
	ns, err := race(runners, opt)
	if err != nil {
		return nil, err
	}
	var records []record
	for i, p := range ps {
		records = append(records, record{s.name, p.name, ns[i]})
	}
	return records, nil
}

// agree loads a chunk on every player and runs it twice. It returns an error if the results differ.
func agree(ps []player, source string) ([]func() (string, error), error) {
	var calls []func() (string, error)
	want := ""
	for i, p := range ps {
		call, err := p.load(source)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		calls = append(calls, call)
		for range 2 {
			got, err := call()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.name, err)
			}
			if i == 0 && want == "" {
				want = got
			}
			if got != want || got == "" {
				return nil, fmt.Errorf("%s returns %q, %s returns %q", ps[0].name, want, p.name, got)
			}
		}
	}
	return calls, nil
}

var (
	microColumns = []string{playBare, playRedmoon, playRedis}
	microRatios  = []comparison{
		{heading: "redmoon ÷ bare", over: playRedmoon, under: playBare, most: 2},
		{heading: "redmoon ÷ redis", over: playRedmoon, under: playRedis},
	}
)
