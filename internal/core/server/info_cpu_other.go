//go:build !unix

package server

// infoCPU writes nothing on systems without getrusage.
func (s *Server) infoCPU(*InfoWriter) {}

// cpuMillis returns zeros.
func cpuMillis() (user, sys int64) { return 0, 0 }
