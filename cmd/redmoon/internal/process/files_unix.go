//go:build linux || darwin

package process

import "syscall"

// raiseFiles sets the limit of open files to need, or as near as the system allows. It returns the
// limit, and the error of the first attempt if it is lower than need.
func raiseFiles(need uint64) (have uint64, err error) {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return need, nil // the limit is unknown: let the system refuse files when they are too many
	}
	if l.Cur >= need {
		return l.Cur, nil
	}
	more := syscall.Rlimit{Cur: need, Max: max(l.Max, need)}
	if err = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &more); err == nil {
		return need, nil
	}
	if l.Cur < l.Max {
		l.Cur = min(l.Max, need)
		if syscall.Setrlimit(syscall.RLIMIT_NOFILE, &l) != nil {
			_ = syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l)
		}
	}
	return l.Cur, err
}
