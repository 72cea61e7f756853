package replication

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/datastore/rdbfile"
	"github.com/redmoon-lua/redmoon/internal/core/server"
)

// copyJob is a copy of the keyspace on its way to replicas. The stream goes on behind it.
type copyJob struct {
	st    *State
	image *server.RunningImage
	mark  string // that ends the copy; "": it has its length in advance, and goes through file
	file  *sharedFile
	size  int64 // of file
}

// canCopy reports whether no replica has to wait for another image before its copy begins.
func (st *State) canCopy() bool { return st.srv.RunningImage() == nil }

// streams reports whether copies are sent while they are made.
func (st *State) streams(r *replica) bool {
	return (st.enabled("repl-diskless-sync") || r.noData || r.noFunctions) && r.capa&capEOF != 0
}

// wantCopy gives a replica, which is new, a copy that is being made, or sees to it that one begins.
func (st *State) wantCopy(r *replica) {
	log := st.srv.Log
	switch job := st.copying; {
	case job != nil && job.mark == "":
		for _, other := range st.replicas {
			if other.phase == waitsEnd && !other.rdbOnly && r.capa&other.capa == other.capa && r.sameCopy(other) {
				st.join(r, other)
				log.Info("Waiting for end of BGSAVE for SYNC")
				return
			}
		}
		log.Info("Can't attach the replica to the current BGSAVE. Waiting for next BGSAVE for SYNC")
	case job != nil:
		log.Info("Current BGSAVE has socket target. Waiting for next BGSAVE for SYNC")
	case st.srv.RunningImageFor(server.ImageForDump) != nil:
		log.Info("Can't attach the replica to the current BGSAVE. Waiting for next BGSAVE for SYNC")
	case st.streams(r) && st.number("repl-diskless-sync-delay") > 0:
		log.Info("Delay next BGSAVE for diskless SYNC")
	case st.canCopy():
		st.startCopy()
	default:
		log.Info("No BGSAVE in progress, but another BG operation is active. BGSAVE for replication delayed")
	}
}

// sameCopy reports whether two replicas want the same in their copies.
func (r *replica) sameCopy(o *replica) bool {
	return r.noData == o.noData && r.noFunctions == o.noFunctions
}

// startWaited begins a copy if replicas wait for one, and have waited long enough. It is called
// every second.
func (st *State) startWaited() {
	if !st.canCopy() {
		return
	}
	waiting, longest := 0, int64(0)
	var first *replica
	for _, r := range st.replicas {
		if r.phase != waitsStart || first != nil && !r.sameCopy(first) {
			continue
		}
		if first == nil {
			first = r
		}
		waiting++
		longest = max(longest, st.seconds()-r.since)
	}
	if waiting == 0 {
		return
	}
	most := st.number("repl-diskless-sync-max-replicas")
	if !st.enabled("repl-diskless-sync") || most > 0 && int64(waiting) >= most || longest >= st.number("repl-diskless-sync-delay") {
		st.startCopy()
	}
}

// startCopy begins a copy for the replicas that wait for one, as far as they want the same as the
// first of them.
func (st *State) startCopy() {
	var receivers []*replica
	streamed := true
	for _, r := range st.replicas {
		if r.phase == waitsStart && (len(receivers) == 0 || r.sameCopy(receivers[0])) {
			receivers = append(receivers, r)
			streamed = streamed && st.streams(r)
		}
	}
	if len(receivers) == 0 {
		return
	}
	st.srv.FlushEffects()
	job := &copyJob{st: st}
	target := "disk"
	if streamed {
		target = "replicas sockets"
		job.mark = server.NewRunID(st.srv.Store)
	}
	st.srv.Log.Info("Starting BGSAVE for SYNC with target: " + target)
	err := job.begin(receivers[0])
	if err != nil {
		st.srv.Log.Warn("BGSAVE for replication failed", "error", err)
		for _, r := range receivers {
			st.drop(r)
		}
		return
	}
	st.copying = job
	st.stream.Forget()
	for _, r := range receivers {
		r.phase, r.copyOffset = waitsEnd, st.offset
		if !r.rdbOnly {
			r.out.hold(st.backlog, st.offset)
		}
		if !r.preSync {
			r.out.add(part{bytes: fmt.Appendf(nil, "+FULLRESYNC %s %d\r\n", st.id, st.offset)})
		}
		if streamed {
			r.out.add(part{bytes: []byte("$EOF:" + job.mark + "\r\n")})
		}
	}
}

// begin makes the image. Nothing has been written when it returns.
func (job *copyJob) begin(r *replica) error {
	st := job.st
	if job.mark == "" {
		if st.env.TempFile == nil {
			return fmt.Errorf("there are no files")
		}
		f, err := st.env.TempFile()
		if err != nil {
			return err
		}
		job.file = &sharedFile{File: f}
		job.file.users.Store(1)
	}
	out := server.ImageJob{Purpose: server.ImageForReplicas, Options: st.copyOptions(r), Out: job, Wait: job.mustWait, Done: job.done}
	image, err := st.srv.StartImage(out)
	if err != nil {
		job.close()
		return err
	}
	job.image = image
	return nil
}

// join gives a replica the copy that is being made for another.
func (st *State) join(r, other *replica) {
	r.phase, r.copyOffset = waitsEnd, other.copyOffset
	if !r.rdbOnly {
		r.out.holdAs(other.out)
	}
	if !r.preSync {
		r.out.add(part{bytes: fmt.Appendf(nil, "+FULLRESYNC %s %d\r\n", st.id, r.copyOffset)})
	}
}

// copyOptions returns what the copy for a replica contains.
func (st *State) copyOptions(r *replica) datastore.FileOptions {
	s := st.srv
	db := 0 // the stream of a master selects a database first
	if st.isReplica() {
		db = st.master.session.DB.ID()
	}
	redis, valkey := s.FileVersions()
	o := rdbfile.Writing{
		RedisVersion: redis, ValkeyVersion: valkey, Version: s.Follows.DumpVersion(),
		Created: time.UnixMilli(s.Store.Now()), UsedMemory: s.Store.Used(),
		Replication: &rdbfile.Replication{DB: db, ID: st.id, Offset: st.offset},
		Compress:    st.enabled("rdbcompression"), NoChecksum: !st.enabled("rdbchecksum"),
	}
	if !r.noFunctions && s.Functions != nil {
		for _, lib := range s.Functions.List() {
			o.Functions = append(o.Functions, lib.Code)
		}
	}
	if p := s.Config.Memory.Policy; s.Config.Memory.Evicts {
		switch p.Rank {
		case datastore.EvictIdle:
			o.Usage = datastore.UsageIdle
		case datastore.EvictRare:
			o.Usage = datastore.UsageFreq
		}
	}
	f := o.FileOptions()
	f.NoKeys = r.noData
	return f
}

// takers returns the replicas that get the copy.
func (job *copyJob) takers() []*replica {
	return slices.DeleteFunc(slices.Clone(job.st.replicas), func(r *replica) bool { return r.phase != waitsEnd })
}

// Write passes a chunk of the copy on.
func (job *copyJob) Write(p []byte) (int, error) {
	if job.mark == "" {
		n, err := job.file.Write(p)
		job.size += int64(n)
		return n, err
	}
	chunk := slices.Clone(p)
	for _, r := range job.st.replicas {
		if r.phase == waitsEnd {
			r.out.add(part{bytes: chunk})
		}
	}
	return len(p), nil
}

// mustWait reports whether a replica is slow.
func (job *copyJob) mustWait() bool {
	if job.mark == "" {
		return false
	}
	return slices.ContainsFunc(job.st.replicas, func(r *replica) bool { return r.phase == waitsEnd && r.out.isPaced() })
}

// done is called when the copy is written, or has failed.
func (job *copyJob) done(err error) {
	st, log := job.st, job.st.srv.Log
	st.copying = nil
	takers := job.takers()
	switch {
	case err != nil:
		if len(takers) > 0 {
			log.Warn("SYNC failed. BGSAVE child returned an error", "error", err)
		}
		for _, r := range takers {
			st.drop(r)
		}
	case job.mark != "":
		log.Info("Background RDB transfer terminated with success")
		for _, r := range takers {
			log.Info("Streamed RDB transfer with replica " + r.name() +
				" succeeded (socket). Waiting for REPLCONF ACK from slave to enable streaming")
			r.streamOnAck = true
			st.putOnline(r)
			r.out.add(part{bytes: []byte(job.mark), sent: func() { st.markSent(r) }})
		}
	default:
		log.Info("Background saving terminated with success")
		head := []byte("$" + strconv.FormatInt(job.size, 10) + "\r\n")
		for _, r := range takers {
			job.file.users.Add(1)
			r.phase = sendsBulk
			r.out.add(part{bytes: head})
			r.out.add(part{file: job.file, size: job.size, sent: func() { st.bulkSent(r) }})
		}
	}
	job.close()
	job.image.Release()
	st.startWaited()
}

// bulkSent is called by the sender of a replica that has been sent its copy.
func (st *State) bulkSent(r *replica) {
	_ = st.env.Do(func() {
		if r.phase == sendsBulk && !r.sess.CloseAfter {
			if st.putOnline(r); r.phase == online {
				r.startStream()
			} else {
				st.drop(r)
			}
		}
	})
}

// markSent is called by the sender of a replica that has been sent the end of a streamed copy.
func (st *State) markSent(r *replica) {
	_ = st.env.Do(func() {
		if r.phase == transmitted && !r.sess.CloseAfter {
			st.drop(r)
		}
	})
}

// close releases the file.
func (job *copyJob) close() {
	if job.file != nil {
		job.file.release()
	}
}

// left is called when a replica has gone. A copy that nobody wants any more ends.
func (st *State) left(r *replica) {
	r.out.drop()
	if job := st.copying; job != nil && r.phase == waitsEnd && len(job.takers()) == 0 {
		if job.mark != "" {
			st.srv.Log.Warn("Diskless rdb transfer, last replica dropped, killing fork child.")
		}
		job.image.Abort()
	}
}
