package main

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/ledger"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
)

// isProgram is the environment variable that makes the test binary the program itself.
const isProgram = "REDPACKETRAIN_PROGRAM"

// settled returns how many settlements of grabs the file has, of whatever run.
func settled(path string) (n int64, err error) {
	if _, err := os.Stat(path); err != nil {
		return 0, nil
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return 0, err
	}
	defer func() { _ = db.Close() }()
	err = db.QueryRow("SELECT COUNT(*) FROM settlements WHERE kind = $1", ledger.Grab).Scan(&n)
	return n, err
}

// TestKilledInTheMiddleOfTheRain kills the program, as kill -9 does, each time when it has settled
// more grabs. The next run continues. In the end each grab that was settled by any of them is there
// and settled once, and the money adds up.
func TestKilledInTheMiddleOfTheRain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kept")
	args := []string{"--dir", dir, "--packets=1000", "--total=500.00", "--batch=20", "--workers=8", "--activities=2", "--over=3s"}
	continues := false
	for kills, runs := 0, 0; kills < 4; runs++ {
		require.Less(t, runs, 100, "hardly any run is killed in the middle")
		before, err := settled(filepath.Join(dir, "rain.db"))
		require.NoError(t, err)
		cmd := exec.Command(os.Args[0], args...)
		var out bytes.Buffer
		cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), isProgram+"=yes"), &out, &out
		require.NoError(t, cmd.Start())
		ended := make(chan struct{})
		go func() { _ = cmd.Wait(); close(ended) }()
		want := before + 1 + 199*int64(min(kills, 1))
		err = patience.Try(func() error {
			select {
			case <-ended:
				return nil
			default:
			}
			n, err := settled(filepath.Join(dir, "rain.db"))
			if err == nil && n < want {
				err = fmt.Errorf("%d settled, not yet %d", n, want)
			}
			return err
		})
		_ = cmd.Process.Kill() // it may have ended
		<-ended
		require.NoError(t, err, out.String())
		require.Equal(t, continues, strings.Contains(out.String(), "continuing the run that did not end"), out.String())
		if continues = !cmd.ProcessState.Exited(); continues {
			kills++
		} else { // it was faster than we
			require.True(t, cmd.ProcessState.Success(), out.String())
		}
	}
	code, stdout, stderr := program(t, context.Background(), args...)
	wentWell(t, code, stdout, stderr)

	code, stdout, stderr = program(t, context.Background(), args...)
	wentWell(t, code, stdout, stderr)
	require.NotContains(t, stdout, "continuing", "it ended well: this one is new")
}

// A run with other flags is not mixed with the one that did not end.
func TestContinuedWithOtherFlags(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	var out, errs output
	ended := make(chan int, 1)
	go func() { ended <- run(ctx, []string{"--dir", dir, "--packets=50", "--over=1h"}, &out, &errs, false) }()
	require.NoError(t, patience.Try(func() error {
		if n, err := settled(filepath.Join(dir, "rain.db")); err != nil || n == 0 {
			return fmt.Errorf("%d settled: %w", n, err)
		}
		return nil
	}))
	cancel()
	require.Equal(t, 130, <-ended, errs.String())
	code, _, stderr := program(t, context.Background(), "--dir", dir, "--packets=60")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "holds a run with other flags")
	code, stdout, stderr := program(t, context.Background(), "--dir", dir, "--packets=50")
	require.Zero(t, code, stdout+stderr)
	require.Contains(t, stdout, "continuing the run that did not end")
}
