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

// infoClusterState writes the fields of CLUSTER INFO.
func (s *Server) infoClusterState(w *InfoWriter) {
	if s.Cluster != nil {
		s.WriteClusterState(w)
	}
}

// WriteClusterState writes the fields of CLUSTER INFO in cluster mode.
func (s *Server) WriteClusterState(w *InfoWriter) {
	cl, state, size := s.Cluster, "fail", min(s.Cluster.Count, 1)
	if s.ClusterUp() {
		state = "ok"
	}
	w.Field("cluster_state", state)
	w.Field("cluster_slots_assigned", cl.Count)
	w.Field("cluster_slots_ok", cl.Count)
	w.Zeros("cluster_slots_pfail", "cluster_slots_fail")
	w.Field("cluster_known_nodes", 1)
	w.Field("cluster_size", size)
	w.Field("cluster_current_epoch", cl.Current)
	w.Field("cluster_my_epoch", cl.Epoch)
	w.Zeros("cluster_stats_messages_sent", "cluster_stats_messages_received", "total_cluster_links_buffer_limit_exceeded")
}
