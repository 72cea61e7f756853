package luatest

import (
	"slices"
	"strconv"
	"strings"
)

// With several servers a file runs once on engines that follow each, every time in a Lua state of
// its own. Its results become one list: a test has one result, which says where it differs.

// ServerResult is how a test has ended on an engine that follows a server.
type ServerResult struct {
	Server string
	Status Status
}

// ServerCounts are the numbers of tests on engines that follow a server.
type ServerCounts struct {
	Server string
	Counts Counts
}

// onServers runs a file on each server of the options.
func (r *runner) onServers(path string) fileEnd {
	var runs []FileResult
	for i, server := range r.opt.Servers {
		opt := *r.opt
		opt.Server, opt.Servers = server, nil
		opt.Update = opt.Update && i == 0 // the others are compared with what the first one writes
		end := r.runFile(path, &opt)
		if end.err != nil {
			return end
		}
		runs = append(runs, end.FileResult)
	}
	return fileEnd{FileResult: mergeFiles(r.opt.Servers, runs)}
}

// mergeFiles makes one result of those of a file on servers.
func mergeFiles(servers []string, runs []FileResult) FileResult {
	all := runs[0]
	results := make([][]Result, len(runs))
	for i, run := range runs {
		var c Counts
		c.Count(run)
		all.On = append(all.On, ServerCounts{servers[i], c})
		results[i] = run.Results
		if i > 0 {
			all.Duration += run.Duration
			all.Stopped = all.Stopped || run.Stopped
			all.Reads = append(all.Reads, run.Reads...)
		}
	}
	slices.Sort(all.Reads)
	all.Reads = slices.Compact(all.Reads)
	all.Results = mergeResults(servers, results)
	return all
}

// mergeResults makes one list of the results on servers, in the order of the first; what only
// others have comes last.
func mergeResults(servers []string, runs [][]Result) []Result {
	type ended struct {
		results []Result
		servers []string
	}
	var order []string
	of := map[string]*ended{}
	for i, run := range runs {
		times := map[string]int{}
		for _, result := range run {
			name := result.Hook + "\x00" + strings.Join(result.Names, "\x00")
			times[name]++
			key := name + "\x00" + strconv.Itoa(times[name])
			e := of[key]
			if e == nil {
				e = &ended{}
				of[key] = e
				order = append(order, key)
			}
			e.results, e.servers = append(e.results, result), append(e.servers, servers[i])
		}
	}
	merged := make([]Result, len(order))
	for i, key := range order {
		merged[i] = mergeResult(of[key].servers, of[key].results, len(servers))
	}
	return merged
}

// severity is the order of statuses by which one stands for several.
var severity = [...]int{Pending: 0, Passed: 1, NotRun: 2, Differs: 3, Failed: 4, Errored: 5}

// mergeResult makes one result of those of a test on servers, of which there are n. If they are not
// the same, On and the problems say what belongs to which server.
func mergeResult(servers []string, results []Result, n int) Result {
	worst := results[0]
	for _, r := range results[1:] {
		if severity[r.Status] > severity[worst.Status] {
			worst = r
		}
	}
	same := len(results) == n && !slices.ContainsFunc(results, func(r Result) bool {
		return r.Status != worst.Status || problemsText(r.Problems) != problemsText(worst.Problems)
	})
	if same {
		return worst
	}
	worst.Problems = nil
	var groups []Result // with different problems
	on := map[string][]string{}
	for i, r := range results {
		worst.On = append(worst.On, ServerResult{servers[i], r.Status})
		text := problemsText(r.Problems)
		if on[text] == nil {
			groups = append(groups, r)
		}
		on[text] = append(on[text], servers[i])
	}
	for _, g := range groups {
		for _, p := range g.Problems {
			p.On = on[problemsText(g.Problems)]
			worst.Problems = append(worst.Problems, p)
		}
	}
	return worst
}

// problemsText is the same for problems that a reader would call the same.
func problemsText(problems []Problem) string {
	var b strings.Builder
	for _, p := range problems {
		b.WriteString(p.Phase + "\x00" + p.Message + "\x00" + p.File + "\x00" + strconv.Itoa(p.Line) + "\x00")
		if p.Failure != nil {
			b.WriteString(p.Failure.Expected + "\x00" + p.Failure.Found + "\x00")
			for _, line := range p.Failure.Diff {
				b.WriteString(line.String() + "\x00")
			}
		}
	}
	return b.String()
}
