package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// reachAll runs each test by itself with no mutant on, and returns those that can judge mutants.
func (c *children) reachAll(tests []*test, workers int, longest time.Duration) ([]*test, error) {
	var mu sync.Mutex
	var good []*test
	done := 0
	err := parallel(workers, len(tests), func(i int) error {
		t := tests[i]
		why, err := c.reach(t, longest)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		if done++; done%250 == 0 {
			fmt.Printf("  %d of %d tests\n", done, len(tests))
		}
		if why != "" {
			fmt.Printf("  left out: %s %s (%s)\n", t, why, t.cost.Round(10*time.Millisecond))
			return nil
		}
		good = append(good, t)
		return nil
	})
	return good, err
}

// Reasons to leave a test out.
const (
	fails   = "fails"
	tooLong = "lasts too long"
	startGo = "starts the go command"
)

// reach measures one test. why says what makes it useless, if it is.
func (c *children) reach(t *test, longest time.Duration) (why string, err error) {
	for range 2 { // a loaded machine may fail a test that waits
		if why, err = c.reachOnce(t, longest); why != fails && why != tooLong {
			break
		}
	}
	return why, err
}

func (c *children) reachOnce(t *test, longest time.Duration) (why string, err error) {
	f, err := os.CreateTemp(c.temp, "reach")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	if err := f.Close(); err != nil {
		return "", err
	}
	o, err := c.run(t.dir, t.bin, 0, longest, f.Name(), "-test.run", pattern(t.group, []string{t.name}))
	if err != nil {
		return "", err
	}
	t.cost = o.wall
	switch {
	case o.timedOut:
		return tooLong, nil
	case !o.passed && o.usedGo:
		return startGo, nil
	case !o.passed:
		return fails, nil
	}
	t.reaches, err = readReach(f.Name())
	return "", err
}

// readReach reads the ids that the processes of a test wrote, each once.
func readReach(file string) ([]int, error) {
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var ids []int
	seen := map[int]bool{}
	for _, field := range strings.Fields(string(text)) {
		id, err := strconv.Atoi(field)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
		if !seen[id] {
			seen[id], ids = true, append(ids, id)
		}
	}
	return ids, nil
}

// parallel calls do for 0 to n-1 from several goroutines and stops at the first error.
func parallel(workers, n int, do func(i int) error) error {
	var mu sync.Mutex
	var wg sync.WaitGroup
	var failed error
	next := 0
	for range workers {
		wg.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				stop := failed != nil || i >= n
				mu.Unlock()
				if stop {
					return
				}
				if err := do(i); err != nil {
					mu.Lock()
					failed = errors.Join(failed, err)
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return failed
}
