package clients

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/difftest"
)

// Server is a server process of our own, on a loopback port.
type Server struct {
	// Addr is its address, host:port.
	Addr string
	// Stop ends it.
	Stop func() error
}

// Starter starts a server with an empty keyspace. config are parameters of CONFIG, name and value in turn.
type Starter func(config ...string) (Server, error)

// StartRedis starts redis-server. The error wraps [difftest.ErrNoOracle] when the machine has none.
func StartRedis(config ...string) (Server, error) {
	oracle, err := difftest.StartOracle()
	if err != nil {
		return Server{}, err
	}
	s := Server{Addr: oracle.Addr, Stop: func() error { oracle.Stop(); return nil }}
	if len(config) == 0 {
		return s, nil
	}
	conn, err := oracle.Open()
	if err != nil {
		oracle.Stop()
		return Server{}, err
	}
	defer conn.Close()
	if raw, err := conn.Do(append([]string{"CONFIG", "SET"}, config...)); err != nil || string(raw) != "+OK\r\n" {
		oracle.Stop()
		return Server{}, fmt.Errorf("CONFIG SET %q: %q %w", config, raw, err)
	}
	return s, nil
}

// Build builds the program redmoon into dir and returns a function that starts "redmoon serve".
func Build(dir string) (Starter, error) {
	build := exec.Command("go", "build", "-o", dir, "./cmd/redmoon")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, out)
	}
	return func(config ...string) (Server, error) { return startRedmoon(dir+"/redmoon", config) }, nil
}

// leashed runs a server for as long as standard input stays open, so that it never outlives the tests, however they end.
const leashed = `"$@" & pid=$!; cat >/dev/null; kill -9 $pid; wait $pid`

func startRedmoon(bin string, config []string) (Server, error) {
	args := []string{"-c", leashed, "sh", bin, "serve", "--addr", "127.0.0.1:0"}
	for i := 0; i+1 < len(config); i += 2 {
		args = append(args, "--config", config[i]+"="+config[i+1])
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
