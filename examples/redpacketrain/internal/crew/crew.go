package crew

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Crew is a number of consumer processes, of which some are killed and replaced.
type Crew struct {
	// Config is what all processes are to do; activities are those of Run.
	Config Config
	// Size is how many there are at a time. Default 1.
	Size int
	// Kills is how many are to be killed.
	Kills int
	// Fate returns how process number n, from 0, is to end, while there are some to be killed: by
	// itself (nil: not so), and when it has lived for a time at the latest. Default: after a random
	// time of half a second at most.
	Fate func(n int) (*Death, time.Duration)
	// Stderr is where the processes write what goes wrong. Default: nowhere.
	Stderr io.Writer

	mu      sync.Mutex
	killed  int64
	changed chan struct{} // closed at the next kill
	started atomic.Int64
	again   atomic.Int64
}

// Killed is how many have been killed.
func (c *Crew) Killed() int64 {
	n, _ := c.kills()
	return n
}

// AwaitKills returns when n have been killed, or with the error of ctx when that ends before.
func (c *Crew) AwaitKills(ctx context.Context, n int64) error {
	for {
		killed, changed := c.kills()
		if killed >= n {
			return ctx.Err()
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (c *Crew) kills() (n int64, changed <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changed == nil {
		c.changed = make(chan struct{})
	}
	return c.killed, c.changed
}

// kill counts a kill.
func (c *Crew) kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.killed++
	if c.changed != nil {
		close(c.changed)
		c.changed = nil
	}
}

// Again is how many settlements were asked for again, because the consumer before had died after it
// had made them.
func (c *Crew) Again() int64 { return c.again.Load() }

// Run runs the processes until ctx ends; then they finish the batch in hand. It returns an error
// when one ends that was not killed.
func (c *Crew) Run(ctx context.Context, activities []string) error {
	config := c.Config
	config.Activities = activities
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var failure error
	for range max(1, c.Size) {
		wg.Go(func() {
			for ctx.Err() == nil {
				if err := c.one(ctx, config); err != nil {
					mu.Lock()
					failure = err
					mu.Unlock()
					cancel(err)
				}
			}
		})
	}
	wg.Wait()
	return failure
}

// one is the life of one process.
func (c *Crew) one(ctx context.Context, config Config) error {
	n := c.started.Add(1) - 1
	doomed := n < int64(c.Kills)
	life := time.Duration(0)
	if doomed {
		config.Die, life = c.fate(int(n))
	}
	p, err := c.start(config)
	if err != nil {
		return err
	}
	var end <-chan time.Time
	if doomed {
		timer := time.NewTimer(life)
		defer timer.Stop()
		end = timer.C
	}
	select {
	case <-end:
		_ = p.cmd.Process.Kill() // fails when it has just killed itself
	case <-ctx.Done():
		p.leash.Close()
	case <-p.ended:
	}
	<-p.ended
	switch {
	case doomed && !p.cmd.ProcessState.Exited():
		c.kill()
	case p.err != nil || ctx.Err() == nil:
		return fmt.Errorf("a consumer ended by itself: %v", p.cmd.ProcessState)
	}
	return nil
}

func (c *Crew) fate(n int) (*Death, time.Duration) {
	if c.Fate != nil {
		return c.Fate(n)
	}
	return nil, rand.N(500 * time.Millisecond)
}

// process is a running process. err is for after ended is closed.
type process struct {
	cmd   *exec.Cmd
	leash io.Closer
	ended chan struct{}
	err   error
}

func (c *Crew) start(config Config) (*process, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(config)
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(program), ended: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), variable+"="+string(text))
	p.cmd.Stderr = c.Stderr
	if p.leash, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("a consumer process: %w", err)
	}
	go func() {
		defer close(p.ended)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if n, err := strconv.ParseInt(lines.Text(), 10, 64); err == nil { // a line may be cut off by death
				c.again.Add(n)
			}
		}
		p.err = p.cmd.Wait()
	}()
	return p, nil
}
