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
	"strings"
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
	dearest int // number of tests and packages to print; 0: nothing is measured
	test    []string
}

func parse(args []string) (options, error) {
	if len(args) == 0 || args[0] != "-dearest" {
		return options{test: args}, nil
	}
	if len(args) < 2 {
		return options{}, errors.New("-dearest needs a value")
	}
	n, err := strconv.Atoi(args[1])
	if err != nil || n < 1 {
		return options{}, fmt.Errorf("-dearest %s: not a number above 0", args[1])
	}
	return options{n, args[2:]}, nil
}

// failedList names the file to which the commands that repeat the failed tests are appended, for a
// script that runs gotest several times and prints one summary. Default: none.
const failedList = "REDMOON_FAILED"

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
	code := cmd.ProcessState.ExitCode()
	repeat := r.repeats(o.test, os.Environ())
	if code != 0 && len(repeat) == 0 { // a wrong flag, a package that does not exist
		words := []string{"go", "test"}
		for _, a := range o.test {
			words = append(words, quoted(a))
		}
		repeat = []string{strings.Join(words, " ")}
	}
	if m != nil {
		readErr = errors.Join(readErr, m.print(os.Stdout, &r, o.dearest, time.Since(began), cpu(cmd.ProcessState)))
	}
	printRepeats(os.Stdout, repeat)
	if list := os.Getenv(failedList); list != "" && len(repeat) > 0 {
		readErr = errors.Join(readErr, appendLines(list, repeat))
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
