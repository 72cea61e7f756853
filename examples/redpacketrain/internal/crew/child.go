// Package crew runs consumers as processes of their own, and kills them.
//
// A consumer process is the running program, executed again: its main function, or TestMain, begins
// with
//
//	if crew.IsChild() {
//		os.Exit(crew.Child())
//	}
//
// It ends when its standard input is closed, so it never outlives the program that started it.
package crew

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/ledger"
	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/settle"
	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/target"
)

// variable is the environment variable that makes a process a consumer; it holds a Config.
const variable = "REDPACKETRAIN_CONSUMER"

// Config is what a consumer process is to do.
type Config struct {
	Target     string // URL
	Ledger     string // data source name
	Activities []string
	Consumers  int
	Batch      int
	Visibility time.Duration
	Die        *Death // how it kills itself; nil: not at all
}

// Death is a moment of a batch at which a consumer process kills itself, as kill -9 does.
type Death struct {
	At    settle.Moment
	Batch int // the first is 1
}

// IsChild reports whether this process is a consumer process.
func IsChild() bool { return os.Getenv(variable) != "" }

// Child is all that a consumer process does. It returns the exit code.
func Child() int {
	if err := consume(os.Getenv(variable), os.Stdin, os.Stdout); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "consumer:", err)
		return 1
	}
	return 0
}

// consume settles until leash ends, and writes a line with the number of settlements that were
// there already after each batch.
func consume(config string, leash io.Reader, out io.Writer) error {
	var c Config
	if err := json.Unmarshal([]byte(config), &c); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, leash)
		cancel()
	}()
	t, err := target.Open(ctx, c.Target, len(c.Activities)*c.Consumers+4)
	if err != nil {
		return err
	}
	defer t.Close()
	l, err := ledger.Open(ctx, c.Ledger)
	if err != nil {
		return err
	}
	defer l.Close()
	return settle.Run(ctx, t, l, c.Activities, fmt.Sprint("process-", os.Getpid()), settle.Options{
		Consumers: c.Consumers, Batch: c.Batch, Visibility: c.Visibility,
		Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)), At: c.at(out),
	})
}

func (c Config) at(out io.Writer) func(settle.Moment, []ledger.Outcome) {
	var mu sync.Mutex
	batches := map[settle.Moment]int{}
	return func(m settle.Moment, outcomes []ledger.Outcome) {
		mu.Lock()
		defer mu.Unlock()
		if m == settle.Settled {
			again := 0
			for _, o := range outcomes {
				if o == ledger.Again {
					again++
				}
			}
			fmt.Fprintln(out, again)
		}
		if batches[m]++; c.Die != nil && *c.Die == (Death{m, batches[m]}) {
			if self, err := os.FindProcess(os.Getpid()); err == nil {
				_ = self.Kill()
			}
			select {} // the signal is on its way
		}
	}
}
