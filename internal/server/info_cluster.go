package server

// mode is how the server is run, as HELLO and INFO tell it.
func (s *Server) ModeName() string {
	if s.Cluster != nil {
		return "cluster"
	}
	return "standalone"
}

func (s *Server) infoCluster(w *InfoWriter) {
	enabled := 0
	if s.Cluster != nil {
		enabled = 1
	}
	w.Field("cluster_enabled", enabled)
}
