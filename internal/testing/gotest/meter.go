package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// meterPkg names the folder of the package whose test runs. The meter sets it for the go commands
// that the test starts.
const meterPkg = "REDMOON_METER_PKG"

// measurement is what one helper appends to the meter's file.
type measurement struct {
	Dir  string        // folder of the package
	Go   []string      // arguments of a go command that a test started; nil: the test binary itself
	CPU  time.Duration // of the process and of those it waited for
	Wall time.Duration
}

// A meter measures what a test binary uses, by standing before it (-exec) and before the go command
// (a folder at the front of PATH). Both are this program again.
type meter struct {
	dir, self string
}

func newMeter() (*meter, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "gotest")
	if err != nil {
		return nil, err
	}
	m := &meter{dir, self}
	if err := os.Mkdir(m.path(), 0o755); err != nil {
		return nil, errors.Join(err, m.close())
	}
	// Everything is an argument: a test may start the go command with few variables.
	inFront := fmt.Sprintf("#!/bin/sh\nexec '%s' -measure-go '%s' '%s' \"$@\"\n", self, m.file(), goTool)
	if err := os.WriteFile(filepath.Join(m.path(), "go"), []byte(inFront), 0o755); err != nil {
		return nil, errors.Join(err, m.close())
	}
	return m, nil
}

func (m *meter) close() error { return os.RemoveAll(m.dir) }

func (m *meter) file() string { return filepath.Join(m.dir, "measurements") }

func (m *meter) path() string { return filepath.Join(m.dir, "bin") }

// exec returns the value of go test -exec.
func (m *meter) exec() string { return m.self + " -measure-test " + m.file() }

// asHelper runs a test binary or the go command and measures it, if that is what this process is
// for. Its arguments are then -measure-test or -measure-go, the meter's file, and the command.
func asHelper() (code int, ok bool) {
	if len(os.Args) < 4 || os.Args[1] != "-measure-test" && os.Args[1] != "-measure-go" {
		return 0, false
	}
	file := os.Args[2]
	cmd := exec.Command(os.Args[3], os.Args[4:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	one := measurement{Dir: os.Getenv(meterPkg)}
	if os.Args[1] == "-measure-go" {
		one.Go = os.Args[4:]
	} else {
		one.Dir, _ = os.Getwd()
		path := filepath.Join(filepath.Dir(file), "bin") + string(os.PathListSeparator) + os.Getenv("PATH")
		cmd.Env = append(os.Environ(), meterPkg+"="+one.Dir, "PATH="+path)
	}
	began := time.Now()
	err := cmd.Run()
	if cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, "gotest:", err)
		return 2, true
	}
	one.CPU, one.Wall = cpu(cmd.ProcessState), time.Since(began)
	if line, err := json.Marshal(one); err == nil {
		if err := appendLines(file, []string{string(line)}); err != nil {
			fmt.Fprintln(os.Stderr, "gotest:", err)
		}
	}
	if code = cmd.ProcessState.ExitCode(); code < 0 {
		code = 2 // ended by a signal
	}
	return code, true
}

func cpu(p *os.ProcessState) time.Duration { return p.UserTime() + p.SystemTime() }

// print prints the n dearest tests and packages. all is the processor time of the whole run.
func (m *meter) print(w io.Writer, r *results, n int, wall, all time.Duration) error {
	ms, err := m.read()
	if err != nil {
		return err
	}
	type row struct {
		name              string
		wall, cpu, goTool time.Duration
	}
	byDir := map[string]*row{}
	var tests time.Duration
	for _, one := range ms {
		p := byDir[one.Dir]
		if p == nil {
			p = &row{name: short(one.Dir)}
			byDir[one.Dir] = p
		}
		if one.Go != nil {
			p.goTool += one.CPU
			continue
		}
		p.cpu, p.wall = p.cpu+one.CPU, p.wall+one.Wall
		tests += one.CPU
	}
	rows := make([]*row, 0, len(byDir))
	for _, p := range byDir {
		rows = append(rows, p)
	}
	slices.SortFunc(rows, func(a, b *row) int { return int(b.cpu - a.cpu) })
	fmt.Fprintf(w, "\n%8s %8s %8s  package\n", "wall s", "cpu s", "go s")
	for _, p := range rows[:min(n, len(rows))] {
		fmt.Fprintf(w, "%8.1f %8.1f %8.1f  %s\n", p.wall.Seconds(), p.cpu.Seconds(), p.goTool.Seconds(), p.name)
	}

	keys := make([]key, 0, len(r.elapsed))
	for k := range r.elapsed {
		if k.test != "" && !strings.Contains(k.test, "/") {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b key) int { return int(1e6 * (r.elapsed[b] - r.elapsed[a])) })
	fmt.Fprintf(w, "\n%8s  test\n", "wall s")
	for _, k := range keys[:min(n, len(keys))] {
		fmt.Fprintf(w, "%8.1f  %s %s\n", r.elapsed[k], k.pkg, k.test)
	}
	fmt.Fprintf(w, "\nthe whole run: %.0f s wall, %.0f s cpu: %.0f in test binaries, %.0f in the compiler, linker and vet\n",
		wall.Seconds(), all.Seconds(), tests.Seconds(), (all - tests).Seconds())
	return nil
}

func (m *meter) read() ([]measurement, error) {
	text, err := os.ReadFile(m.file())
	if err != nil {
		return nil, err
	}
	var all []measurement
	for line := range strings.Lines(string(text)) {
		var one measurement
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// short returns the path of dir from the current folder.
func short(dir string) string {
	here, err := os.Getwd()
	if err != nil {
		return dir
	}
	if rel, err := filepath.Rel(here, dir); err == nil {
		return filepath.ToSlash(rel)
	}
	return dir
}
