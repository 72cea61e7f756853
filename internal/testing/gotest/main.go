package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"time"
)

func main() {
	if code, ok := asHelper(); ok {
		os.Exit(code)
	}
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "gotest:", err)
		code = cmp.Or(code, 2)
	}
	os.Exit(code)
}

// options are the flags of this program; the other arguments go to go test.
type options struct {
	dearest int    // number of tests and packages to print; 0: nothing is measured
	list    string // file to which the failed tests are appended; empty: none
	test    []string
}

func parse(args []string) (options, error) {
	var o options
	for len(args) > 0 {
		switch args[0] {
		case "-dearest", "-list":
			if len(args) < 2 {
				return o, fmt.Errorf("%s needs a value", args[0])
			}
			if args[0] == "-list" {
				o.list = args[1]
			} else if n, err := strconv.Atoi(args[1]); err != nil || n < 1 {
				return o, fmt.Errorf("-dearest %s: not a number above 0", args[1])
			} else {
				o.dearest = n
			}
			args = args[2:]
		default:
			o.test = args
			return o, nil
		}
	}
	return o, nil
}

// run runs go test and returns its exit code.
func run(args []string) (int, error) {
	o, err := parse(args)
	if err != nil {
		return 2, err
	}
	test := append([]string{"test", "-json"}, o.test...)
	var m *meter
	if o.dearest > 0 {
		if m, err = newMeter(); err != nil {
			return 2, err
		}
		defer m.close()
		test = append([]string{"test", "-json", "-exec", m.exec()}, o.test...)
	}
	cmd := exec.Command("go", test...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 2, err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return 2, err
	}
	var r results
	r.verbose = verbose(o.test)
	readErr := r.read(out, os.Stdout)
	err = cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return 2, err
	}
	if m != nil {
		if err := m.print(os.Stdout, &r, o.dearest, time.Since(began), cpu(cmd.ProcessState)); err != nil {
			return 2, err
		}
	}
	code := cmd.ProcessState.ExitCode()
	repeat := r.repeats(o.test, os.Environ())
	printRepeats(os.Stdout, repeat)
	if o.list != "" && len(repeat) > 0 {
		if err := appendLines(o.list, repeat); err != nil {
			return 2, err
		}
	}
	return code, readErr
}

func verbose(args []string) bool {
	for _, a := range args {
		if a == "-v" || a == "-test.v" || a == "-v=true" {
			return true
		}
	}
	return false
}

func printRepeats(w io.Writer, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%d failed. To repeat each:\n", len(lines))
	for _, l := range lines {
		fmt.Fprintln(w, "  "+l)
	}
}

func appendLines(path string, lines []string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	for _, l := range lines {
		fmt.Fprintln(w, l)
	}
	return errors.Join(w.Flush(), f.Close())
}
