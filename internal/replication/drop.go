package replication

// dropReplicas disconnects the replicas: they must ask again whether they can continue.
func (st *State) dropReplicas() {}
