package replication

import "slices"

// dropReplicas disconnects the replicas: they must ask again whether they can continue.
func (st *State) dropReplicas() {
	for _, r := range slices.Clone(st.replicas) {
		st.drop(r)
	}
}

// Replaced implements [server.Replication]: the replicas need a new full copy.
func (st *State) Replaced() {
	if st.backlog == nil || st.master != nil {
		return
	}
	st.dropReplicas()
	st.free()
}
