package luatest

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Reporter shows results.
type Reporter interface {
	// File is called when a file has run, in the order of the files.
	File(FileResult)
	// End is called when all have run.
	End(Summary)
}

// Summary is the end of a run.
type Summary struct {
	Files   int
	Counts  Counts
	Seed    uint64 // of the order; 0: it was not shuffled
	Stopped bool   // not everything has run

	On []ServerCounts // on each server, if there are several
}

// countOn adds the results of a file on servers.
func (s *Summary) countOn(list []ServerCounts) {
	for i, c := range list {
		if i == len(s.On) {
			s.On = append(s.On, ServerCounts{Server: c.Server})
		}
		for status, n := range c.Counts {
			s.On[i].Counts[status] += n
		}
	}
}

// Run runs test files and reports their results. The error says which file cannot be read; nothing
// has run then.
func Run(ctx context.Context, paths []string, opt *Options, to Reporter) (Summary, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	order := append([]string(nil), paths...)
	if r := opt.shuffler("files"); r != nil {
		r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	r := &runner{opt: opt, ctx: ctx, stop: stop, results: make([]chan fileEnd, len(order))}
	for i := range r.results {
		r.results[i] = make(chan fileEnd, 1)
	}
	var workers sync.WaitGroup
	next := make(chan int, len(order))
	for i := range order {
		next <- i
	}
	close(next)
	for range max(1, opt.Parallel) {
		workers.Go(func() {
			for i := range next {
				r.results[i] <- r.file(order[i])
			}
		})
	}
	s := Summary{Seed: opt.Seed}
	var failure error
	for i := range order {
		end := <-r.results[i]
		if end.err != nil {
			stop()
			if failure == nil {
				failure = end.err
			}
			continue
		}
		if failure == nil && (len(end.Results) > 0 || !end.Stopped) {
			to.File(end.FileResult)
		}
		s.Files++
		s.Counts.Count(end.FileResult)
		s.countOn(end.On)
		s.Stopped = s.Stopped || end.Stopped
	}
	workers.Wait()
	if failure != nil {
		return s, failure
	}
	to.End(s)
	return s, nil
}

type runner struct {
	opt     *Options
	ctx     context.Context
	stop    func()
	results []chan fileEnd
	server  sync.Mutex // one file at a time uses the server of the options
}

// fileEnd is the result of a file, or why it cannot be read.
type fileEnd struct {
	FileResult
	err error
}

// file runs a file.
func (r *runner) file(path string) fileEnd {
	if r.ctx.Err() != nil {
		return fileEnd{FileResult: FileResult{Path: path, Stopped: true}}
	}
	var end fileEnd
	if len(r.opt.Servers) > 0 {
		end = r.onServers(path)
	} else {
		end = r.runFile(path, r.opt)
	}
	var c Counts
	c.Count(end.FileResult)
	if c.Bad() > 0 && r.opt.FailFast {
		r.stop()
	}
	return end
}

// runFile runs a file with the given options.
func (r *runner) runFile(path string, opt *Options) fileEnd {
	f, err := Load(r.ctx, path, opt)
	if err != nil {
		return fileEnd{err: err}
	}
	defer f.Close()
	result := f.Run()
	if opt.Against != nil {
		r.server.Lock()
		err := f.repeat(result.Results)
		r.server.Unlock()
		if err != nil {
			return fileEnd{err: fmt.Errorf("%s: on the server: %w", path, err)}
		}
	}
	if why := f.tool.Broken(); why != "" {
		result.Results = append(result.Results, Result{File: path, Names: []string{"the file"}, Status: Errored, Hook: "file",
			Problems: []Problem{{Phase: "file", Message: "the tests behind it were not run: " + why}}})
	}
	return fileEnd{FileResult: result}
}

// List writes the names of the tests that the options choose, each with its file and line. The
// error says what is wrong in the files: they may have more tests.
func List(ctx context.Context, paths []string, opt *Options, write func(path string, line int, name string)) error {
	var problems []error
	for _, path := range paths {
		f, err := Load(ctx, path, opt)
		if err != nil {
			return err
		}
		for _, p := range f.Broken() {
			problems = append(problems, errors.New(p.Message))
		}
		names, lines := f.Tests()
		for i, name := range names {
			write(path, lines[i], name)
		}
		f.Close()
	}
	return errors.Join(problems...)
}
