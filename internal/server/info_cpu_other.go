//go:build !unix

package server

// infoCPU writes nothing where the system does not tell CPU times the Unix way.
func (s *Server) infoCPU(*InfoWriter) {}
