//go:build linux

package engine_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/hostile"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
)

// Budgets of the engine that runs hostile programs, and limits that it must keep.
const (
	hostileMemory = 64 << 20  // Options.ScriptMemory
	hostileData   = 32 << 20  // maxmemory, and proto-max-bulk-len
	hostileMargin = 256 << 20 // live heap allowed besides the script's values and the keyspace
	hostileLive   = hostileMemory + hostileData + hostileMargin
	hostileSteps  = 20e6 // Options.ScriptSteps of every second engine

	hostileRuns = 200 * time.Millisecond // time that a program runs before it is ordered to end
)

// Environment variables for the child process.
const (
	hostileFirst = "REDMOON_HOSTILE_FIRST" // the number of the first program
	hostileCount = "REDMOON_HOSTILE_COUNT" // number of programs
	hostileOne   = "REDMOON_HOSTILE_ONE"   // "1": the programs run one after another on one engine
)

// hostileProgram returns a program by its number: first the listed ones and those of the corpus,
// then random ones.
func hostileProgram(t *testing.T, n int) hostile.Program {
	found, err := hostile.Found()
	require.NoError(t, err)
	kept := append(hostile.Listed(), found...)
	if n < len(kept) {
		return kept[n]
	}
	seed, _ := strconv.ParseUint(os.Getenv("REDMOON_SEED"), 10, 64)
	return hostile.Random(seed + uint64(n-len(kept)))
}

// TestHostilePrograms runs hostile programs in a child process. The process must live, its heap
// must stay within its limits, and each program must end after it is ordered to. The log says how
// long the longest took.
// REDMOON_PROGRAMS is the number of programs, or REDMOON_HOSTILE the duration. REDMOON_SEED is the
// first seed. Programs that break something are written to the folder REDMOON_FOUND.
func TestHostilePrograms(t *testing.T) {
	t.Run("each on an engine of its own", func(t *testing.T) { playAllHostile(t, "0") })
	t.Run("one after another on one engine", func(t *testing.T) { playAllHostile(t, "1") })
}

// playAllHostile plays programs until their number or half of the duration is reached.
func playAllHostile(t *testing.T, one string) {
	count := tier.Number("REDMOON_PROGRAMS", hostileShort, hostileLong)
	var until time.Time
	if s := os.Getenv("REDMOON_HOSTILE"); s != "" {
		d, err := time.ParseDuration(s)
		require.NoError(t, err)
		until, count = time.Now().Add(d/2), 1<<30
	}
	played, worst := 0, hostileResult{}
	for played < count && (until.IsZero() || time.Now().Before(until)) {
		first := played
		result, last, err := playHostile(t, one, first, min(count-first, 500))
		worst.live, worst.ended = max(worst.live, result.live), max(worst.ended, result.ended)
		played = last + 1
		if err == nil {
			continue
		}
		p := hostileProgram(t, last)
		t.Errorf("program %d (%s) by %s: %v\n%.3000s", last, p.Name, p.Door, err, p.Body)
		if dir := os.Getenv("REDMOON_FOUND"); dir != "" {
			assert.NoError(t, os.WriteFile(filepath.Join(dir, p.FileName()), []byte(p.Body), 0o644))
		}
	}
	t.Logf("%d programs; live heap at most %d MiB; ended at most %v after the order", played, worst.live>>20, worst.ended)
}

type hostileResult struct {
	live  uint64        // largest live heap
	ended time.Duration // longest time from the order to end to the end
}

// playHostile runs programs in a child process. It returns the number of the last one that began.
func playHostile(t *testing.T, one string, first, count int) (worst hostileResult, last int, err error) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestHostileChild$", "-test.timeout=0")
	cmd.Env = append(os.Environ(), hostileFirst+"="+strconv.Itoa(first), hostileCount+"="+strconv.Itoa(count), hostileOne+"="+one,
		"GOMEMLIMIT=512MiB", "GOTRACEBACK=all")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	runtime.LockOSThread() // the process ends with the thread that started it
	defer runtime.UnlockOSThread()
	out, w := io.Pipe()
	cmd.Stdout, cmd.Stderr = w, w
	require.NoError(t, cmd.Start())
	exit := make(chan error, 1)
	go func() {
		exit <- cmd.Wait()
		_ = w.Close()
	}()
	last = first
	lines := make(chan string)
	go func() {
		defer close(lines)
		for r := bufio.NewReader(out); ; {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			lines <- line
		}
	}()
	var rest []string // output of a failing process
	hung := false
	for more := true; more; {
		var line string
		select {
		case line, more = <-lines:
		case <-patience.After():
			hung = true
			_ = cmd.Process.Signal(syscall.SIGQUIT)
		}
		var live uint64
		var ended int64
		switch n, _ := fmt.Sscanf(line, "hostile %d %d %d", &last, &live, &ended); n {
		case 1:
		case 3:
			worst.live = max(worst.live, live)
			worst.ended = max(worst.ended, time.Duration(ended))
		default:
			if line != "" && len(rest) < 60 {
				rest = append(rest, line)
			}
		}
	}
	switch err := <-exit; {
	case hung:
		return worst, last, fmt.Errorf("stands still:\n%s", strings.Join(rest, ""))
	case err != nil:
		return worst, last, fmt.Errorf("%w:\n%s", err, strings.Join(rest, ""))
	}
	return worst, last, nil
}

// TestHostileChild runs in the child process.
func TestHostileChild(t *testing.T) {
	if os.Getenv(hostileFirst) == "" {
		t.Skip("runs in a process of its own")
	}
	const room = 6 << 30
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: room, Max: room}))
	first, err := strconv.Atoi(os.Getenv(hostileFirst))
	require.NoError(t, err)
	count, err := strconv.Atoi(os.Getenv(hostileCount))
	require.NoError(t, err)
	live := watchHeap(t)
	play := endHostile
	if os.Getenv(hostileOne) == "1" {
		one := &oneEngine{}
		defer func() { require.NoError(t, one.close()) }()
		play = one.play
	}
	for n := first; n < first+count; n++ {
		p := hostileProgram(t, n)
		fmt.Printf("hostile %d\n", n)
		most, ended := uint64(math.MaxUint64), time.Duration(0)
		// The live heap includes what was allocated while the collector marked, which is much on a busy
		// machine. A program that keeps too much does so each time.
		for try := 0; try < 3 && most > hostileLive; try++ {
			live.Store(0)
			ended = max(ended, play(t, p, n))
			most = min(most, live.Load())
		}
		require.LessOrEqual(t, most>>20, uint64(hostileLive)>>20, "MiB of the heap were live")
		if os.Getenv("REDMOON_HOSTILE") != "" {
			require.Less(t, ended, 10*time.Second, "from the order to the end")
		}
		fmt.Printf("hostile %d %d %d\n", n, most, ended)
	}
}

// watchHeap records the largest live heap at the end of a garbage collection.
func watchHeap(t *testing.T) *atomic.Uint64 {
	var most atomic.Uint64
	stop := make(chan struct{})
	t.Cleanup(func() { close(stop) })
	go func() {
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		for {
			select {
			case <-tick.C:
				metrics.Read(sample)
				for live, old := sample[0].Value.Uint64(), most.Load(); live > old && !most.CompareAndSwap(old, live); old = most.Load() {
				}
			case <-stop:
				return
			}
		}
	}()
	return &most
}

func hostileOptions() engine.Options {
	return engine.Options{ScriptMemory: hostileMemory, Config: map[string]string{
		"busy-reply-threshold": "5", "maxmemory": strconv.Itoa(hostileData), "proto-max-bulk-len": strconv.Itoa(hostileData),
	}}
}

// endHostile runs a program on a new engine, orders it to end, and returns the time until it ended.
// The number of the program selects the kind of order.
func endHostile(t *testing.T, p hostile.Program, n int) (after time.Duration) {
	background := context.Background()
	o := hostileOptions()
	if n%2 == 0 {
		o.ScriptSteps = hostileSteps
	}
	before := runtime.NumGoroutine()
	e, err := engine.New(o)
	require.NoError(t, err)
	defer e.Close()
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for _, args := range p.Commands() {
			_, _ = e.DoStrings(ctx, args...)
		}
	}()
	select {
	case <-ended:
		_, err := e.Do(background, "PING")
		require.NoError(t, err)
		require.NoError(t, e.Check(background))
	case <-time.After(hostileRuns):
		ordered := time.Now()
		orderEnd(e, cancel, ended, n)
		<-ended
		after = time.Since(ordered)
	}
	require.NoError(t, e.Close())
	patience.Until(t, func() bool { return runtime.NumGoroutine() <= before }, "goroutines are left")
	return after
}

// orderEnd ends what an engine runs: by commands, by a context, or by closing the engine. Only
// closing ends a script that has written.
func orderEnd(e *engine.Engine, cancel func(), ended chan struct{}, n int) {
	ctx := context.Background()
	switch n / 2 % 3 {
	case 0:
		for {
			_, err := e.Do(ctx, "SCRIPT", "KILL")
			_, err2 := e.Do(ctx, "FUNCTION", "KILL")
			select {
			case <-ended:
				return
			default:
			}
			if unkillable(err) || unkillable(err2) {
				break
			}
		}
	case 1:
		cancel()
		select {
		case <-ended:
			return
		case <-time.After(hostileRuns):
		}
	}
	_ = e.Close()
}

func unkillable(err error) bool {
	var e *engine.Error
	return errors.As(err, &e) && e.Code == "UNKILLABLE"
}
