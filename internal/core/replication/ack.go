package replication

// updateGood counts the replicas that are not behind for min-replicas-max-lag, for the gate.
func (st *State) updateGood() {
	least, lag := st.number("min-replicas-to-write"), st.number("min-replicas-max-lag")
	good := 0
	if least > 0 && lag > 0 {
		for _, r := range st.replicas {
			if r.phase == online && st.seconds()-r.ackTime <= lag {
				good++
			}
		}
	}
	st.good = good
	st.srv.LackReplicas(least > 0 && lag > 0 && int64(good) < least && !st.isReplica())
}

// acknowledge notes the offset up to which a replica has run the stream.
func (st *State) acknowledge(r *replica, offset int64) {
	r.ackOffset = max(r.ackOffset, offset)
	r.ackTime = st.seconds()
	if r.phase == online && r.streamOnAck {
		r.startStream()
	}
	st.updateGood()
	st.serveWaiters()
	st.checkFailover()
	st.checkShutdown()
}
