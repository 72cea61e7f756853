//go:build unix

package server

import (
	"fmt"
	"syscall"
)

func (s *Server) infoCPU(w *InfoWriter) {
	for _, who := range cpuFields {
		var r syscall.Rusage
		_ = syscall.Getrusage(who.id, &r) // on an error the times stay zero
		w.Field("used_cpu_sys"+who.suffix, fmt.Sprintf("%d.%06d", r.Stime.Sec, r.Stime.Usec))
		w.Field("used_cpu_user"+who.suffix, fmt.Sprintf("%d.%06d", r.Utime.Sec, r.Utime.Usec))
	}
	w.Field("used_active_time_main_thread", "0.000000")
}

// cpuField selects whose CPU time a field of INFO cpu shows.
type cpuField struct {
	id     int
	suffix string
}

// cpuMillis returns the CPU time that the process has used, in ms.
func cpuMillis() (user, sys int64) {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r) // on an error the times stay zero
	return r.Utime.Nano() / 1e6, r.Stime.Nano() / 1e6
}
