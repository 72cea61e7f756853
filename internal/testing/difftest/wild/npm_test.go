package wild

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/stretchr/testify/require"
)

// TestNPM plays the programs in the folder npm, which print their transcripts.
func TestNPM(t *testing.T) {
	node := lookForNode(t)
	for _, p := range []Program{
		{Name: "rate-limiter-flexible", Scripts: 1, Times: true},
		{Name: "async-ratelimiter", Scripts: 1},
		{Name: "rate-limit-redis", Scripts: 2, Times: true},
		{Name: "redlock", Scripts: 3},
		{Name: "redis-semaphore", Scripts: 7},
		{Name: "connect-redis"},
		{Name: "bee-queue", Scripts: 5},
		{Name: "bull", Scripts: 26},
		{Name: "rsmq", Scripts: 3},
		{Name: "node-resque", Scripts: 1},
		{Name: "bottleneck", Scripts: 14, Times: true},
	} {
		t.Run(p.Name, func(t *testing.T) {
			p.Play = func(addr string, transcript *Transcript) error {
				return runNode(patience.Context(t), node, p.Name+".mjs", addr, transcript)
			}
			play(t, p)
		})
	}
}

// lookForNode returns the path of node; where it or the packages are missing, the test is skipped,
// or fails in CI.
func lookForNode(t *testing.T) string {
	node, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat(filepath.Join("npm", "node_modules"))
	}
	if err == nil {
		return node
	}
	if os.Getenv("CI") != "" {
		require.NoError(t, err, "node.js and `npm ci` in the folder npm are needed")
	}
	t.Skipf("%v: to compare the packages of npm too, install node.js and run `npm ci --ignore-scripts` in the folder npm", err)
	return ""
}

// runNode runs a program of the folder npm, which ends with ctx.
func runNode(ctx context.Context, node, program, addr string, transcript *Transcript) error {
	cmd := exec.CommandContext(ctx, node, program)
	cmd.Dir = "npm"
	cmd.Env = append(os.Environ(), "WILD_ADDR="+addr)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	lines := bufio.NewScanner(&stdout)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		transcript.Line(lines.Text())
	}
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", program, err, &stderr)
	}
	return lines.Err()
}
