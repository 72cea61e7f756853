package process

import (
	"io"
	"os"
	"os/exec"
	"strings"
)

// daemonMark is the variable of the environment that says that the process is the second one of a
// Daemonize: it must not start a third.
const daemonMark = "REDMOON_DAEMON"

// Daemonized reports whether this process was started by [Daemonize]. The children of the process
// are not.
func Daemonized() bool {
	if os.Getenv(daemonMark) == "" {
		return false
	}
	_ = os.Unsetenv(daemonMark)
	return true
}

// Daemonize starts the program again, with the same arguments, in a session of its own and without
// a terminal: its standard streams are the null device. The caller must then end with exit code 0.
//
// Redis forks. A Go program cannot, because the child would have one thread only. The second
// process reads the configuration again, in the directory dir; stdin is what the first has read of
// standard input, which the second gets in its place.
func Daemonize(dir, stdin string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(program, os.Args[1:]...)
	cmd.Args[0], cmd.Dir = os.Args[0], dir
	cmd.Env = append(os.Environ(), daemonMark+"=1")
	if cmd.SysProcAttr, err = ownSession(); err != nil {
		return err
	}
	if stdin == "" {
		return cmd.Start()
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer w.Close()
	cmd.Stdin = r
	err = cmd.Start()
	_ = r.Close()
	if err == nil {
		_, err = io.Copy(w, strings.NewReader(stdin))
	}
	return err
}
