package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/resp"
)

// firstScript is run by each subject of runStart.
const firstScript = "return redis.call('INCR', KEYS[1])"

// runStart measures the time from a start to the reply of the first script: of server processes,
// from the start of the process; in a process, from New or Run, for the first of the process and
// the second. Each start of a process is new.
func runStart(opt options) error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "redmoon")
	if out, err := exec.Command("go", "build", "-C", "..", "-o", program, "./cmd/redmoon").CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	rounds := max(3*opt.rounds, 9)
	times := map[string][]time.Duration{}
	for range rounds {
		for _, argv := range [][]string{{"redis-server"}, {program, "serve"}} {
			if _, err := exec.LookPath(argv[0]); err != nil {
				continue
			}
			d, err := startProcess(dir, argv)
			if err != nil {
				return err
			}
			name := "the process " + filepath.Base(strings.Join(argv, " "))
			times[name] = append(times[name], d)
		}
		for _, kind := range []string{"redmoon", "miniredis"} {
			out, err := exec.Command(os.Args[0], "-child", "first "+kind).Output()
			if err != nil {
				return err
			}
			for i, text := range strings.Fields(string(out)) {
				d, err := time.ParseDuration(text)
				if err != nil {
					return err
				}
				name := []string{"the first ", "the second "}[i] + kind + " of a process"
				times[name] = append(times[name], d)
			}
		}
	}
	fmt.Printf("from the start to the reply of the first script, %d starts\n\n", rounds)
	tw := newTable(os.Stdout)
	fmt.Fprintln(tw, "\tfastest\tmedian\tslowest\t")
	for _, name := range []string{"the process redis-server", "the process redmoon serve", "the first miniredis of a process",
		"the second miniredis of a process", "the first redmoon of a process", "the second redmoon of a process"} {
		all := times[name]
		if len(all) == 0 {
			continue
		}
		slices.Sort(all)
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t\n", name, milliseconds(all[0]), milliseconds(all[len(all)/2]), milliseconds(all[len(all)-1]))
	}
	return tw.Flush()
}

func milliseconds(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Microseconds())/1000, 'f', 2, 64) + " ms"
}

// startProcess starts a server on a unix socket, and returns the time until it has run the script.
func startProcess(dir string, argv []string) (time.Duration, error) {
	socket := filepath.Join(dir, "socket")
	_ = os.Remove(socket)
	args := slices.Concat(argv[1:], []string{"--save", "", "--port", "0", "--unixsocket", socket, "--dir", dir})
	cmd := exec.Command(argv[0], args...)
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	request := resp.AppendCommand(nil, "EVAL", firstScript, "1", "k")
	for time.Since(begin) < 10*time.Second {
		nc, err := net.Dial("unix", socket)
		if err != nil {
			time.Sleep(50 * time.Microsecond)
			continue
		}
		defer nc.Close()
		if _, err := nc.Write(request); err != nil {
			return 0, err
		}
		b := make([]byte, 100)
		n, err := nc.Read(b)
		if err != nil {
			return 0, err
		}
		d := time.Since(begin)
		if !bytes.Equal(b[:n], []byte(":1\r\n")) {
			return 0, fmt.Errorf("%s: %s", argv[0], b[:n])
		}
		return d, nil
	}
	return 0, errors.New(argv[0] + " does not start")
}

// printFirst prints how long the first and the second engine, or miniredis, of this process take to
// run their first script.
func printFirst(kind string) error {
	ctx := context.Background()
	for range 2 {
		begin := time.Now()
		switch kind {
		case "redmoon":
			e, err := engine.New(engine.Options{})
			if err != nil {
				return err
			}
			if _, err := e.Eval(ctx, firstScript, []string{"k"}); err != nil {
				return err
			}
		case "miniredis":
			m, err := miniredis.Run()
			if err != nil {
				return err
			}
			c := redis.NewClient(&redis.Options{Addr: m.Addr(), Protocol: 2, DisableIdentity: true})
			if err := c.Eval(ctx, firstScript, []string{"k"}).Err(); err != nil {
				return err
			}
		}
		fmt.Println(time.Since(begin))
	}
	return nil
}
