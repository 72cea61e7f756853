package server

// ModeName returns the mode of the server as HELLO and INFO show it.
func (s *slotRules) ModeName() string {
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
