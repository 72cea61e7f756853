package luatest

import (
	"context"
	"os"
	"slices"
	"time"
)

// stamp is what shows that a file has changed.
type stamp struct {
	modified time.Time
	size     int64
	exists   bool
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{info.ModTime(), info.Size(), true}
}

// Watcher notices changes of the files that tests have read, and new test files. It looks at them
// from time to time.
type Watcher struct {
	// Paths are what [Find] takes.
	Paths []string
	// Tick returns a channel that says when to look. Default: every 300 ms.
	Tick func() (c <-chan time.Time, stop func())

	stamps map[string]stamp    // of the files that tests have read
	reads  map[string][]string // what each test file has read
}

// interval is how often a Watcher looks.
const interval = 300 * time.Millisecond

// Begin notes how files are, before the tests in them run.
func (w *Watcher) Begin(files []string) {
	if w.reads == nil {
		w.stamps, w.reads = map[string]stamp{}, map[string][]string{}
	}
	for _, file := range files {
		w.reads[file] = append(w.reads[file], file)
		for _, path := range w.reads[file] {
			w.stamps[path] = stampOf(path)
		}
	}
}

// Ran notes which files a test file has read.
func (w *Watcher) Ran(f FileResult) {
	w.reads[f.Path] = f.Reads
	for _, path := range f.Reads {
		if _, ok := w.stamps[path]; !ok {
			w.stamps[path] = stampOf(path)
		}
	}
}

// Wait waits until a file has changed, and returns the test files to run: those that have read it,
// and new ones. It returns nil when ctx has ended.
func (w *Watcher) Wait(ctx context.Context) []string {
	tick := w.Tick
	if tick == nil {
		tick = func() (<-chan time.Time, func()) {
			t := time.NewTicker(interval)
			return t.C, t.Stop
		}
	}
	c, stop := tick()
	defer stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-c:
			if files := w.changed(); len(files) > 0 {
				return files
			}
		}
	}
}

// changed returns the test files to run.
func (w *Watcher) changed() (files []string) {
	different := map[string]bool{}
	for path, old := range w.stamps {
		if now := stampOf(path); now != old {
			w.stamps[path], different[path] = now, true
		}
	}
	found, err := Find(w.Paths)
	if err != nil {
		return nil // it is being written
	}
	for _, file := range found {
		reads, known := w.reads[file]
		if !known || slices.ContainsFunc(reads, func(path string) bool { return different[path] }) {
			files = append(files, file)
		}
	}
	return files
}
