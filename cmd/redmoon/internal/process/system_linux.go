package process

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

const (
	prSetTHPDisable = 41 // PR_SET_THP_DISABLE
	thpPath         = "/sys/kernel/mm/transparent_hugepage/enabled"
	somaxconnPath   = "/proc/sys/net/core/somaxconn"
)

// DisableTHP turns off transparent huge pages for this process.
func DisableTHP() error {
	if _, _, e := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetTHPDisable, 1, 0, 0, 0, 0); e != 0 {
		return e
	}
	return nil
}

// AlwaysTHP reports whether the system uses transparent huge pages without being asked.
func AlwaysTHP() bool {
	text, err := os.ReadFile(thpPath)
	return err == nil && strings.Contains(string(text), "[always]")
}

// MaxBacklog is the largest backlog that the system gives a listener; 0: unknown. path is where it
// says so.
func MaxBacklog() (n int, path string) {
	text, err := os.ReadFile(somaxconnPath)
	if err == nil {
		n, _ = strconv.Atoi(strings.TrimSpace(string(text)))
	}
	return n, somaxconnPath
}
