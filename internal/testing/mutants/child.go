package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	toggle "github.com/redmoon-lua/redmoon/internal/testing/mutants/mutant"
	"github.com/redmoon-lua/redmoon/internal/testing/seeds"
)

// children starts the test binaries.
type children struct {
	root   string // the copied module
	temp   string // for the files of the tests
	memory int    // MiB of address space that a process may have
	env    []string

	mu          sync.Mutex
	running     map[*exec.Cmd]bool
	interrupted bool
}

// newChildren prepares the environment of the tests. A program named go is first in their PATH: it
// fails, since nobody can wait for what it compiles.
func newChildren(root, temp, original string, memory int) (*children, error) {
	bin := filepath.Join(temp, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return nil, err
	}
	stub := "#!/bin/sh\necho \"$@\" >>\"$REDMOON_MUTANTS_GO\"\nexit 1\n"
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte(stub), 0o755); err != nil {
		return nil, err
	}
	c := &children{root: root, temp: temp, memory: memory}
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if name != "CI" && name != "GOFLAGS" && (name == seeds.Variable || !strings.HasPrefix(name, "REDMOON_")) {
			c.env = append(c.env, v)
		}
	}
	c.env = append(c.env, "REDMOON_ORACLE=off", "GOMEMLIMIT="+strconv.Itoa(memory/3)+"MiB",
		"PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	if folder := filepath.Join(original, "..", "shared", "seeds"); os.Getenv(seeds.Variable) == "" {
		if _, err := os.Stat(folder); err == nil {
			c.env = append(c.env, seeds.Variable+"="+folder)
		}
	}
	return c, nil
}

var errInterrupted = errors.New("interrupted")

func (c *children) start(cmd *exec.Cmd) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.interrupted {
		return errInterrupted
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	if c.running == nil {
		c.running = map[*exec.Cmd]bool{}
	}
	c.running[cmd] = true
	return nil
}

func (c *children) over(cmd *exec.Cmd) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.running, cmd)
}

// interrupt ends all that runs. Nothing begins after it.
func (c *children) interrupt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.interrupted = true
	for cmd := range c.running {
		killGroup(cmd)
	}
}

// outcome is how a run of a test binary ended.
type outcome struct {
	passed, timedOut, usedGo bool
	wall                     time.Duration
	out                      string
}

// run runs a test binary in the folder of its package, with a mutant on or none (0), and kills it
// and what it started after limit.
func (c *children) run(dir, bin string, id int, limit time.Duration, reach string, args ...string) (outcome, error) {
	temp, err := os.MkdirTemp(c.temp, "")
	if err != nil {
		return outcome{}, err
	}
	defer os.RemoveAll(temp)
	goCalls := temp + ".go"
	defer os.Remove(goCalls)
	limited := fmt.Sprintf(`ulimit -v %d 2>/dev/null; exec "$0" "$@"`, c.memory*1024)
	cmd := exec.Command("sh", append([]string{"-c", limited, bin, "-test.paniconexit0", "-test.timeout=20m"}, args...)...)
	cmd.Dir = filepath.Join(c.root, filepath.FromSlash(dir))
	cmd.Env = append(c.env[:len(c.env):len(c.env)], "PWD="+cmd.Dir, "TMPDIR="+temp, "REDMOON_MUTANTS_GO="+goCalls,
		toggle.Variable+"="+strconv.Itoa(id), toggle.Reach+"="+reach)
	out := &ends{}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = 5 * time.Second // for processes that left the group with our pipe
	ownGroup(cmd)
	began := time.Now()
	if err := c.start(cmd); err != nil {
		return outcome{}, err
	}
	defer c.over(cmd)
	late := time.AfterFunc(limit, func() { killGroup(cmd) })
	err = cmd.Wait()
	o := outcome{passed: cmd.ProcessState.Success(), timedOut: !late.Stop(), wall: time.Since(began), out: out.String()}
	killGroup(cmd) // what the test left behind
	if _, err := os.Stat(goCalls); err == nil {
		o.usedGo = true
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return o, err
	}
	return o, nil
}

// ends keeps the beginning and the end of what is written to it.
type ends struct {
	mu          sync.Mutex
	first, last []byte
}

const endSize = 256 << 10

func (e *ends) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := len(p)
	if room := endSize - len(e.first); room > 0 {
		take := min(room, len(p))
		e.first, p = append(e.first, p[:take]...), p[take:]
	}
	if e.last = append(e.last, p...); len(e.last) > 2*endSize {
		e.last = append([]byte(nil), e.last[len(e.last)-endSize:]...)
	}
	return n, nil
}

func (e *ends) String() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return string(e.first) + string(e.last)
}
