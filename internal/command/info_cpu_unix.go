//go:build unix

package command

import (
	"fmt"
	"syscall"
)

func (s *Server) infoCPU(w *infoWriter) {
	for _, who := range []struct {
		id     int
		suffix string
	}{{syscall.RUSAGE_SELF, ""}, {syscall.RUSAGE_CHILDREN, "_children"}} {
		var r syscall.Rusage
		_ = syscall.Getrusage(who.id, &r) // on an error the times stay zero
		w.field("used_cpu_sys"+who.suffix, fmt.Sprintf("%d.%06d", r.Stime.Sec, r.Stime.Usec))
		w.field("used_cpu_user"+who.suffix, fmt.Sprintf("%d.%06d", r.Utime.Sec, r.Utime.Usec))
	}
}
