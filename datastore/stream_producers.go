package datastore

import (
	"cmp"
	"maps"
	"slices"
	"unsafe"
)

// streamProducers is what a stream remembers of idempotent adds: for each producer, which entry
// each of its latest ids (iid) has got. An id is forgotten when the producer has more than
// Stream.idmpMaxSize newer ones, or when its entry is older than Stream.idmpDuration. The oldest
// go first.
type streamProducers struct {
	list       []*streamProducer // by name
	added      uint64            // ids ever remembered
	duplicates uint64            // adds that were found to be repeated
	swept      int64             // ms since the epoch: when all producers were last looked through
}

type streamProducer struct {
	name string
	ids  []StreamProduced // the oldest first
	by   map[string]StreamID
}

// StreamProduced is an id of a producer and the entry that it has got.
type StreamProduced struct {
	IID   string
	Entry StreamID
}

// StreamProducersInfo sums up what a stream remembers of producers.
type StreamProducersInfo struct {
	Duration   int64 // seconds for which an id is remembered
	MaxSize    int64 // greatest number of ids of a producer
	Producers  int
	IDs        int
	Added      uint64 // ids ever remembered
	Duplicates uint64 // adds that were found to be repeated
}

// ProducersInfo returns the present numbers. Until [Stream.ConfigureProducers], Duration and
// MaxSize are as the Limits were when the stream was created.
func (s *Stream) ProducersInfo() StreamProducersInfo {
	info := StreamProducersInfo{Duration: int64(s.idmpDuration), MaxSize: int64(s.idmpMaxSize)}
	if s.producers == nil {
		return info
	}
	info.Added, info.Duplicates = s.producers.added, s.producers.duplicates
	s.EachProducer(func(_ string, ids []StreamProduced) bool {
		info.Producers++
		info.IDs += len(ids)
		return true
	})
	return info
}

// EachProducer calls f for the producers in the order of their names, with the ids that they have
// not lost, the oldest first, until f returns false. f must not change them.
func (s *Stream) EachProducer(f func(pid string, ids []StreamProduced) bool) {
	if s.producers == nil {
		return
	}
	for _, p := range s.producers.list {
		if ids := p.ids[s.expiredOf(p):]; len(ids) > 0 && !f(p.name, ids) {
			return
		}
	}
}

// ConfigureProducers sets for how many seconds an id is remembered, and the number of ids of a
// producer. If that is a change, all ids are forgotten; it reports whether it is.
func (s *Stream) ConfigureProducers(duration, maxSize int64) bool {
	if int64(s.idmpDuration) == duration && int64(s.idmpMaxSize) == maxSize {
		return false
	}
	if st := s.st; st.Recording() {
		oldDuration, oldSize := s.idmpDuration, s.idmpMaxSize
		st.record(func() { s.idmpDuration, s.idmpMaxSize = oldDuration, oldSize })
	}
	s.idmpDuration, s.idmpMaxSize = int32(duration), int32(maxSize)
	if s.producers != nil {
		for _, p := range slices.Clone(s.producers.list) {
			s.forgetOldest(p, len(p.ids))
		}
	}
	return true
}

// Produced returns the entry that an id of a producer has got.
func (s *Stream) Produced(pid, iid string) (entry StreamID, ok bool) {
	if s.producers == nil {
		return entry, false
	}
	s.sweepProducers()
	i, ok := s.producers.place(pid)
	if !ok {
		return entry, false
	}
	p := s.producers.list[i]
	s.forgetOldest(p, s.expiredOf(p))
	entry, ok = p.by[iid]
	return entry, ok
}

// Repeated counts an add that was found to be repeated.
func (s *Stream) Repeated() {
	if st := s.st; st.Recording() {
		st.record(func() { s.producers.duplicates-- })
	}
	s.producers.duplicates++
}

// Remember notes that an id of a producer, which has got none, has got an entry.
func (s *Stream) Remember(pid, iid string, entry StreamID) {
	if s.producers == nil {
		s.producers = &streamProducers{swept: s.st.Now()}
		s.bytes += s.producers.bytes()
	}
	i, ok := s.producers.place(pid)
	if !ok {
		s.addProducer(i, &streamProducer{name: pid, by: map[string]StreamID{}})
	}
	p := s.producers.list[i]
	old := p.ids
	p.ids = append(p.ids, StreamProduced{iid, entry})
	p.by[iid] = entry
	s.producers.added++
	s.bytes += producedBytes(iid)
	if st := s.st; st.Recording() {
		st.record(func() {
			p.ids = old
			delete(p.by, iid)
			s.producers.added--
			s.bytes -= producedBytes(iid)
		})
	}
	s.forgetOldest(p, max(0, len(p.ids)-int(s.idmpMaxSize)))
}

// sweepProducers forgets the expired ids of all producers, once in a second. Redis does that on a
// timer.
func (s *Stream) sweepProducers() {
	if now := s.st.Now(); now-s.producers.swept >= 1000 {
		s.producers.swept = now
		for _, p := range slices.Clone(s.producers.list) {
			s.forgetOldest(p, s.expiredOf(p))
		}
	}
}

// expiredOf returns the number of ids of a producer that have expired. An id behind one that has
// not expired stays.
func (s *Stream) expiredOf(p *streamProducer) (n int) {
	now := uint64(s.st.Now())
	for n < len(p.ids) {
		if ms := p.ids[n].Entry.Ms; ms > now || now-ms < uint64(s.idmpDuration)*1000 {
			break
		}
		n++
	}
	return n
}

// forgetOldest removes the first n ids of a producer, and the producer if it has no more.
func (s *Stream) forgetOldest(p *streamProducer, n int) {
	if n == 0 {
		return
	}
	old := p.ids
	gone := old[:n]
	p.ids = old[n:]
	for _, id := range gone {
		delete(p.by, id.IID)
		s.bytes -= producedBytes(id.IID)
	}
	if st := s.st; st.Recording() {
		st.record(func() {
			p.ids = old
			for _, id := range gone {
				p.by[id.IID] = id.Entry
				s.bytes += producedBytes(id.IID)
			}
		})
	}
	if len(p.ids) == 0 {
		s.removeProducer(p)
	}
}

func (s *Stream) addProducer(i int, p *streamProducer) {
	s.producers.list = slices.Insert(s.producers.list, i, p)
	s.bytes += p.bytes()
	if st := s.st; st.Recording() {
		st.record(func() {
			s.producers.list = slices.Delete(s.producers.list, i, i+1)
			s.bytes -= p.bytes()
		})
	}
}

func (s *Stream) removeProducer(p *streamProducer) {
	i, _ := s.producers.place(p.name)
	s.producers.list = slices.Delete(s.producers.list, i, i+1)
	s.bytes -= p.bytes()
	if st := s.st; st.Recording() {
		st.record(func() {
			s.producers.list = slices.Insert(s.producers.list, i, p)
			s.bytes += p.bytes()
		})
	}
}

func (x *streamProducers) place(pid string) (i int, ok bool) {
	return slices.BinarySearchFunc(x.list, pid, func(p *streamProducer, pid string) int { return cmp.Compare(p.name, pid) })
}

func (x *streamProducers) clone() *streamProducers {
	if x == nil {
		return nil
	}
	c := *x
	c.list = make([]*streamProducer, len(x.list))
	for i, p := range x.list {
		c.list[i] = &streamProducer{p.name, slices.Clone(p.ids), maps.Clone(p.by)}
	}
	return &c
}

func (x *streamProducers) bytes() int { return int(unsafe.Sizeof(*x)) }

// bytes is the size of the producer without its ids.
func (p *streamProducer) bytes() int { return int(unsafe.Sizeof(*p)) + textSize(len(p.name)) + 8 }

// producedBytes is the size of an id: in the list and in the index.
func producedBytes(iid string) int {
	return 2*int(unsafe.Sizeof(StreamProduced{})) + textSize(len(iid))
}

// countBytes adds up the sizes of all producers and ids.
func (x *streamProducers) countBytes() (n int) {
	if x == nil {
		return 0
	}
	n = x.bytes()
	for _, p := range x.list {
		n += p.bytes()
		for _, id := range p.ids {
			n += producedBytes(id.IID)
		}
	}
	return n
}
