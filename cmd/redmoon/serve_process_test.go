//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/reply"
)

var bytesUsed = regexp.MustCompile(`memory usage \(\d+\)`)

// TestParametersOfTheProcess plays commands whose replies and log lines depend on parameters of the
// process.
func TestParametersOfTheProcess(t *testing.T) {
	theirs, ours := bothPrograms(t)
	modules := []string{"MODULE LOAD /nosuch.so", "MODULE LOADEX /nosuch.so", "MODULE UNLOAD nosuch", "MODULE LIST"}
	protected := []string{"CONFIG SET dbfilename a/b", "CONFIG SET dir /nosuch", "CONFIG SET dbfilename b.rdb", "CONFIG GET dbfilename",
		"SET a 1", "SAVE"}
	for _, c := range []filesCase{
		{name: "modules, no", steps: modules},
		{name: "modules, yes", args: []string{"--enable-module-command", "yes"}, steps: modules, quiet: true},
		{name: "modules, local", args: []string{"--enable-module-command", "local"}, steps: modules, quiet: true},
		{name: "protected, no", steps: protected},
		{name: "protected, yes", args: []string{"--enable-protected-configs", "yes"}, steps: protected},
		{name: "protected, local", args: []string{"--enable-protected-configs", "local"}, steps: protected},
		{name: "a new maxmemory", steps: []string{"SET a 1", "CONFIG SET maxmemory 100", "CONFIG SET maxmemory 100", "CONFIG SET maxmemory 0",
			"CONFIG SET maxmemory 100gb"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.args = append([]string{"--save", ""}, c.args...)
			want, wantLog := c.play(t, theirs)
			got, log := c.play(t, ours)
			require.Equal(t, want, got)
			if !c.quiet {
				require.Equal(t, bytesUsed.ReplaceAllString(wantLog, "N"), bytesUsed.ReplaceAllString(log, "N"))
			}
		})
	}
}

// serverProcess is a server in a process of its own, with its log in a file.
type serverProcess struct {
	*exec.Cmd
	dir, port string
}

// launchIn starts a program as a server in a directory. env is added to its environment. If the
// first argument is a file, it is the configuration.
func launchIn(t *testing.T, dir, program string, env []string, args ...string) *serverProcess {
	t.Helper()
	port := redistest.HeldPort(t)
	all := []string{"--port", port, "--bind", "127.0.0.1", "--dir", dir, "--logfile", filepath.Join(dir, "log")}
	if len(args) > 0 && strings.HasPrefix(args[0], "/") {
		all, args = append([]string{args[0]}, all...), args[1:]
	}
	p := &serverProcess{Cmd: exec.Command(program, append(all, args...)...), dir: dir, port: port}
	p.Dir, p.Env = dir, append(os.Environ(), env...)
	require.NoError(t, p.Start())
	t.Cleanup(func() { _ = p.Process.Kill() })
	return p
}

// launch starts a program as a server in a directory of its own, without save points.
func launch(t *testing.T, program string, env []string, args ...string) *serverProcess {
	t.Helper()
	return launchIn(t, patience.TempDir(t), program, env, append([]string{"--save", ""}, args...)...)
}

// startProcess is like launch, and waits until the server is ready.
func startProcess(t *testing.T, program string, env []string, args ...string) *serverProcess {
	t.Helper()
	p := launch(t, program, env, args...)
	p.logged(t, readyLine)
	return p
}

// logged waits until the log of p has a text.
func (p *serverProcess) logged(t *testing.T, text string) {
	t.Helper()
	require.NoError(t, patience.Try(func() error {
		if log := p.log(); !strings.Contains(log, text) {
			return fmt.Errorf("the log has no %q:\n%s", text, log)
		}
		return nil
	}))
}

func (p *serverProcess) do(args ...string) (reply.Value, error) {
	return (&redistest.Server{Addr: "127.0.0.1:" + p.port}).Do(args...)
}

func (p *serverProcess) log() string { return withoutTimes(readFile(filepath.Join(p.dir, "log"))) }

func (p *serverProcess) ask(t *testing.T, args ...string) string {
	t.Helper()
	return ask(t, "tcp", "127.0.0.1:"+p.port, args...)
}

// title is the title of the process without its port and the path of the program.
func (p *serverProcess) title(t *testing.T) string {
	t.Helper()
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.Process.Pid))
	require.NoError(t, err)
	title, _, _ := strings.Cut(string(line), "\x00")
	return strings.ReplaceAll(strings.ReplaceAll(title, p.port, "PORT"), p.Path, "PROGRAM")
}

func TestTitleOfTheProcess(t *testing.T) {
	theirs, ours := bothPrograms(t)
	titles := func(program string) (all []string) {
		p := startProcess(t, program, nil)
		all = append(all, p.title(t))
		for _, template := range []string{"{title} {port} {tls-port} [{unixsocket}] {config-file} {listen-addr} {server-mode}", "x  ",
			strings.Repeat("{listen-addr} ", 30), "{nosuch}", ""} {
			all = append(all, p.ask(t, "CONFIG", "SET", "proc-title-template", template), p.title(t))
		}
		p = startProcess(t, program, nil, "--set-proc-title", "no")
		untitled := p.title(t)
		require.Equal(t, "OK", p.ask(t, "CONFIG", "SET", "proc-title-template", "x"))
		return append(all, untitled, p.title(t))
	}
	require.Equal(t, titles(theirs), titles(ours))
}

// TestRoleInTheLog follows the letter of the role through REPLICAOF.
func TestRoleInTheLog(t *testing.T) {
	theirs, ours := bothPrograms(t)
	letters := func(program string) (found []string) {
		p := startProcess(t, program, nil, "--enable-debug-command", "yes")
		for i, master := range [][]string{{"127.0.0.1", "1"}, {"NO", "ONE"}, {"127.0.0.1", "2"}} {
			require.Equal(t, "OK", p.ask(t, "REPLICAOF", master[0], master[1]))
			mark := fmt.Sprintf("mark %d", i)
			require.Equal(t, "OK", p.ask(t, "DEBUG", "LOG", mark))
			for _, line := range strings.Split(p.log(), "\n") {
				if strings.Contains(line, mark) {
					found = append(found, line[:1])
				}
			}
		}
		return found
	}
	want := letters(theirs)
	require.Equal(t, []string{"S", "M", "S"}, want)
	require.Equal(t, want, letters(ours))
}
