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

// Variables that newMeter sets for its helpers.
const (
	meterFile = "REDMOON_METER_FILE" // to which helpers append their measurements
	meterGo   = "REDMOON_METER_GO"   // the go command, in front of which a helper stands
	meterPkg  = "REDMOON_METER_PKG"  // folder of the package whose test runs
)

// measurement is what one helper appends to the meter's file.
type measurement struct {
	Dir  string        // folder of the package
	Go   []string      // arguments of a go command that a test started; nil: the test binary itself
	CPU  time.Duration // of the process and of those it waited for
	Wall time.Duration
}

// A meter measures what a test binary uses, by standing before it (-exec) and before the go command (a
// folder at the front of PATH). Both are this program again.
type meter struct {
	dir, self, goTool string
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
	m := &meter{dir, self, goTool}
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o755); err != nil {
		return nil, errors.Join(err, m.close())
	}
	if err := os.Symlink(self, filepath.Join(dir, "bin", "go")); err != nil {
		return nil, errors.Join(err, m.close())
	}
	return m, nil
}

func (m *meter) close() error { return os.RemoveAll(m.dir) }

func (m *meter) exec() string { return m.self + " -measure" }

func (m *meter) env(env []string) []string {
	path := filepath.Join(m.dir, "bin") + string(os.PathListSeparator) + os.Getenv("PATH")
	return append(env, meterFile+"="+m.file(), meterGo+"="+m.goTool, "REDMOON_METER_PATH="+path)
}

func (m *meter) file() string { return filepath.Join(m.dir, "measurements") }

// asHelper runs a test binary or the go command and measures it, if that is what this process is for.
func asHelper() (code int, ok bool) {
	var cmd *exec.Cmd
	one := measurement{Dir: os.Getenv(meterPkg)}
	switch {
	case os.Getenv(meterFile) == "":
		return 0, false
	case base(os.Args[0]) == "go":
		cmd, one.Go = exec.Command(os.Getenv(meterGo), os.Args[1:]...), os.Args[1:]
	case len(os.Args) > 2 && os.Args[1] == "-measure":
		cmd = exec.Command(os.Args[2], os.Args[3:]...)
		one.Dir, _ = os.Getwd()
		cmd.Env = append(os.Environ(), meterPkg+"="+one.Dir, "PATH="+os.Getenv("REDMOON_METER_PATH"))
	default:
		return 0, false
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	began := time.Now()
	err := cmd.Run()
	if cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, "gotest:", err)
		return 2, true
	}
	one.CPU, one.Wall = cpu(cmd.ProcessState), time.Since(began)
	if line, err := json.Marshal(one); err == nil {
		err = appendLines(os.Getenv(meterFile), []string{string(line)})
		if err != nil {
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
