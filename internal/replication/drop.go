package replication

import "slices"

// dropReplicas disconnects the replicas: they must ask again whether they can continue.
func (st *State) dropReplicas() {
	for _, r := range slices.Clone(st.replicas) {
		st.drop(r)
	}
}
