package clients

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/testing/difftest"
)

// Server is a server process of our own, on a loopback port.
type Server struct {
	// Addr is its address, host:port.
	Addr string
	// Stop ends it.
	Stop func() error
}

// Options says how a server is started.
type Options struct {
	// Cluster puts it in cluster mode, as the one node.
	Cluster bool
	// Config are parameters of CONFIG and their values.
	Config map[string]string
}

// Starter starts a server with an empty keyspace.
type Starter func(Options) (Server, error)

// StartRedis starts redis-server. The error wraps [difftest.ErrNoOracle] when the machine has none.
func StartRedis(o Options) (Server, error) {
	start := difftest.StartOracle
	if o.Cluster {
		start = difftest.StartCluster
	}
	oracle, err := start()
	if err != nil {
		return Server{}, err
	}
	conn, err := oracle.Open()
	if err != nil {
		oracle.Stop()
		return Server{}, err
	}
	defer conn.Close()
	for name, value := range o.Config {
		if raw, err := conn.Do([]string{"CONFIG", "SET", name, value}); err != nil || string(raw) != "+OK\r\n" {
			oracle.Stop()
			return Server{}, fmt.Errorf("CONFIG SET %s %q: %q %w", name, value, raw, err)
		}
	}
	return Server{Addr: oracle.Addr, Stop: func() error { oracle.Stop(); return nil }}, nil
}

// Build builds the program redmoon into dir and returns a function that starts "redmoon serve".
func Build(dir string) (Starter, error) {
	build := exec.Command("go", "build", "-o", dir, "./cmd/redmoon")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, out)
	}
	return func(o Options) (Server, error) { return startRedmoon(dir+"/redmoon", o) }, nil
}

// leashed runs a server for as long as standard input stays open, so that it never outlives the
// tests, however they end.
const leashed = `"$@" & pid=$!; cat >/dev/null; kill -9 $pid; wait $pid`

func startRedmoon(bin string, o Options) (Server, error) {
	args := []string{"-c", leashed, "sh", bin, "serve", "--addr", "127.0.0.1:0", "--config", "save="} // nothing is saved in this folder
	if o.Cluster {
		args = append(args, "--cluster")
	}
	for name, value := range o.Config {
		args = append(args, "--config", name+"="+value)
	}
	cmd := exec.Command("sh", args...)
	leash, err := cmd.StdinPipe()
	if err != nil {
		return Server{}, err
	}
	r, w := io.Pipe() // read by us until the process has ended, so that nothing it prints makes it wait
	var stderr strings.Builder
	cmd.Stdout, cmd.Stderr = w, &stderr
	if err := cmd.Start(); err != nil {
		return Server{}, err
	}
	stop := func() error {
		leash.Close()
		_ = cmd.Wait() // it was killed: the exit status says nothing
		w.Close()
		if strings.Contains(stderr.String(), "panic") {
			return fmt.Errorf("redmoon: %s", &stderr)
		}
		return nil
	}
	out := bufio.NewReader(r)
	line, err := out.ReadString('\n')
	go func() { _, _ = io.Copy(io.Discard, out) }()
	addr, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if err != nil || !ok {
		return Server{}, errors.Join(fmt.Errorf("redmoon serve: %q %w", line, err), stop())
	}
	return Server{Addr: addr, Stop: stop}, nil
}
