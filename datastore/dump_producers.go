package datastore

import "math"

// What a stream of Redis 8.6 knows of its producers: for each of them the IDs that it has given to
// the entries which it added last, for some time and up to some number.

// producers reports whether streams are written with their producers.
func (w *rdbWriter) producers() bool {
	return w.version >= redis86Version && w.version < valkey90Version
}

// streamProducers writes the producers of a stream.
func (w *rdbWriter) streamProducers(s *Stream) {
	info := s.ProducersInfo()
	w.Length(uint64(info.Duration))
	w.Length(uint64(info.MaxSize))
	w.Length(uint64(info.Producers))
	s.EachProducer(func(pid string, ids []StreamProduced) bool {
		w.Text(pid)
		w.Length(uint64(len(ids)))
		for _, id := range ids {
			w.Text(id.IID)
			w.streamID(id.Entry)
		}
		return true
	})
	w.Length(info.Added)
	w.Length(info.Duplicates)
}

// streamProducers reads the producers of a stream.
func (r *rdbReader) streamProducers(s *Stream) {
	duration, maxSize := r.Number(), r.Number()
	if duration > math.MaxInt32 || maxSize > math.MaxInt32 {
		r.Fail()
		return
	}
	s.idmpDuration, s.idmpMaxSize = int32(duration), int32(maxSize)
	for n := r.Length(); n > 0 && !r.Bad; n-- {
		pid := r.Text()
		for k := r.Length(); k > 0 && !r.Bad; k-- {
			iid := r.Text()
			s.Remember(pid, iid, r.streamID())
		}
	}
	added, duplicates := r.Number(), r.Number()
	if s.producers == nil && added+duplicates > 0 {
		s.producers = &streamProducers{swept: s.st.Now()}
		s.bytes += s.producers.bytes()
	}
	if s.producers != nil {
		s.producers.added, s.producers.duplicates = added, duplicates
	}
}
