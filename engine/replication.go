package engine

import (
	"os"
	"time"

	"github.com/redmoon-lua/redmoon/internal/replication"
)

// replicationEnv returns what replication needs of the engine.
func (e *Engine) replicationEnv() replication.Env {
	return replication.Env{
		After: func(d time.Duration, f func()) (stop func()) {
			return e.clock.AfterFunc(d, func() { e.onTime(f) })
		},
		Do:       e.onLoop,
		Now:      e.clock.Now,
		TempFile: tempFile,
	}
}

// tempFile makes a file that has no name any more, where the system allows it, and is gone when it
// is closed.
func tempFile() (replication.File, error) {
	f, err := os.CreateTemp("", "redmoon-sync-*.rdb")
	if err != nil {
		return nil, err
	}
	return &unnamed{f, os.Remove(f.Name()) == nil}, nil
}

// unnamed is a file that is removed when it is closed.
type unnamed struct {
	*os.File
	removed bool
}

// Close implements [io.Closer].
func (f *unnamed) Close() error {
	err := f.File.Close()
	if !f.removed {
		_ = os.Remove(f.Name())
	}
	return err
}
