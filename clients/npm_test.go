package clients

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/stretchr/testify/require"
)

// TestNPM runs the programs of the folder npm, each with a word that chooses what it does.
func TestNPM(t *testing.T) {
	node := lookForNode(t)
	// ioredis needs a node that reports its own host.
	cluster := Options{Cluster: true, Config: map[string]string{"cluster-announce-ip": "127.0.0.1"}}
	for _, program := range []struct {
		name, choice string
		server       Options
	}{
		{name: "ioredis", choice: "2"},
		{name: "ioredis", choice: "3"},
		{name: "node-redis", choice: "2"},
		{name: "node-redis", choice: "3"},
		{name: "bullmq", choice: "ioredis"},
		{name: "bullmq", choice: "node-redis"},
		{"cluster", "ioredis", cluster},
		{"cluster", "node-redis", cluster},
	} {
		t.Run(program.name+" "+program.choice, func(t *testing.T) {
			onBoth(t, func(p *play) {
				p.runNode(node, program.name+".mjs", program.choice, p.server(program.server))
			})
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
	t.Skipf("%v: to play the packages of npm too, install node.js 20 or later and run `npm ci --ignore-scripts` in clients/npm", err)
	return ""
}

// runNode runs a program of the folder npm on the server at addr; its lines of standard output are
// what it prints.
func (p *play) runNode(node, program, choice, addr string) {
	cmd := exec.CommandContext(patience.Context(p), node, program, choice)
	cmd.Dir = "npm"
	cmd.Env = append(os.Environ(), "CLIENTS_ADDR="+addr, "NODE_NO_WARNINGS=1")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	lines := bufio.NewScanner(&stdout)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		p.line(lines.Text())
	}
	require.NoError(p, err, "%s %s, which told %q and said:\n%s", program, choice, p.printed, &stderr)
	require.NoError(p, lines.Err())
	require.NotEmpty(p, p.printed)
}
