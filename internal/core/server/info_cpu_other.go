//go:build !unix

package server

// infoCPU writes nothing on systems without getrusage.
func (s *Server) infoCPU(*InfoWriter) {}
