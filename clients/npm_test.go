package clients

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNPM runs the programs of the folder npm, each with a word that chooses what it does.
func TestNPM(t *testing.T) {
	node := lookForNode(t)
	for _, program := range [][2]string{
		{"ioredis", "2"},
		{"ioredis", "3"},
		{"node-redis", "2"},
		{"node-redis", "3"},
		{"bullmq", "ioredis"},
		{"bullmq", "node-redis"},
	} {
		t.Run(program[0]+" "+program[1], func(t *testing.T) {
			onBoth(t, func(p *play) { p.runNode(node, program[0]+".mjs", program[1]) })
		})
	}
}

// lookForNode returns the path of node; where it or the packages are missing, the test is skipped, or fails in CI.
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
	t.Skipf("%v: to play the packages of npm too, install node.js 20 or later and run `npm ci --ignore-scripts` in clients/npm", err)
	return ""
}

// runNode runs a program of the folder npm; its lines of standard output are what it tells.
func (p *play) runNode(node, program, choice string) {
	ctx, cancel := context.WithTimeout(p.Context(), 3*patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, program, choice)
	cmd.Dir = "npm"
	cmd.Env = append(os.Environ(), "CLIENTS_ADDR="+p.server(), "NODE_NO_WARNINGS=1")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	lines := bufio.NewScanner(&stdout)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		p.line(lines.Text())
	}
	require.NoError(p, err, "%s %s, which told %q and said:\n%s", program, choice, p.told, &stderr)
	require.NoError(p, lines.Err())
	require.NotEmpty(p, p.told)
}
