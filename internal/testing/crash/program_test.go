package crash

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
)

// build builds the real program.
func build(t *testing.T) string {
	program := filepath.Join(t.TempDir(), "redmoon")
	out, err := exec.Command("go", "build", "-o", program, "github.com/redmoon-lua/redmoon/cmd/redmoon").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return program
}

// program is the real program as a subject.
type program struct {
	path, dir string
	cmd       *exec.Cmd
}

func (p *program) start(t *testing.T) string {
	p.cmd = exec.Command(p.path, "serve", "--addr", "127.0.0.1:0", "--dir", p.dir, "--save", "", "--appendonly", "yes",
		"--appendfsync", "always")
	stdout, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	t.Cleanup(p.kill) // if the test fails
	out := bufio.NewReader(stdout)
	line := readLine(t, out)
	go func() { _, _ = io.Copy(io.Discard, out) }()
	addr, found := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	require.True(t, found, line)
	rdb := redis.NewClient(&redis.Options{Addr: addr, MaxRetries: -1, DialerRetries: 1})
	defer func() { _ = rdb.Close() }()
	require.NoError(t, patience.Try(func() error { return rdb.Ping(t.Context()).Err() }))
	return addr
}

func (p *program) kill() {
	_ = p.cmd.Process.Kill() // fails if it is dead
	_ = p.cmd.Wait()
}

// TestRedmoonServeKilled kills `redmoon serve --appendonly yes --appendfsync always` under the load
// of a client, tears the end of its file, and also while it writes new base files and dumps.
func TestRedmoonServeKilled(t *testing.T) {
	tier.Landing(t)
	path := build(t)
	for _, files := range []bool{false, true} {
		dir := t.TempDir()
		rounds(t, &program{path: path, dir: dir}, plan{kills: kills(t, 4, 10), torn: dir, files: files, delay: 3 * time.Millisecond})
	}
}

// TestRedmoonGrabKilled kills `redmoon grab --dir` in the middle again and again. A later run
// continues, and in the end its audit finds each packet with one user, and all the money.
func TestRedmoonGrabKilled(t *testing.T) {
	tier.Landing(t)
	path, dir := build(t), t.TempDir()
	grab := func() *exec.Cmd {
		return exec.Command(path, "grab", "--dir", dir, "--packets", "4000", "--total", "4000.00")
	}
	written := func() (bytes int64) {
		files, err := filepath.Glob(filepath.Join(dir, "appendonlydir", "*.aof"))
		require.NoError(t, err)
		for _, path := range files {
			if info, err := os.Stat(path); err == nil { // it may be gone
				bytes += info.Size()
			}
		}
		return bytes
	}
	for killed, runs := 0, 0; killed < 5; runs++ {
		require.Less(t, runs, 100, "hardly any run is killed in the middle")
		cmd := grab()
		require.NoError(t, cmd.Start())
		ended := make(chan struct{})
		go func() { _ = cmd.Wait(); close(ended) }()
		last := written()
		err := patience.Try(func() error {
			now := written()
			last = min(last, now) // the files of a run that has ended are removed
			select {
			case <-ended:
				return nil
			default:
			}
			if now < last+100_000 {
				return fmt.Errorf("%d bytes of packets", now)
			}
			return nil
		})
		_ = cmd.Process.Kill() // it may have ended
		<-ended
		require.NoError(t, err)
		if cmd.ProcessState.Exited() { // it was faster than we
			require.True(t, cmd.ProcessState.Success())
			continue
		}
		killed++
	}
	out, err := grab().CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "4000 packets in 4000 records, 0 not as prepared")
	require.NotContains(t, string(out), "FAILED")
}
