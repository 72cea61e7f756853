package datastore

// What a stream of Redis 8.6 knows of its producers: for each of them the IDs that it has given to
// the entries which it added last, for some time and up to some number.
const (
	producersDuration = 100 // seconds; the default of stream-idmp-duration
	producersMaxSize  = 100 // IDs of a producer; the default of stream-idmp-maxsize
)

// producers reports whether streams are written with their producers.
func (w *rdbWriter) producers() bool {
	return w.version >= redis86Version && w.version < valkey90Version
}

// streamProducers writes that a stream knows no producers.
func (w *rdbWriter) streamProducers() {
	w.Length(producersDuration)
	w.Length(producersMaxSize)
	w.Length(0) // producers
	w.Length(0) // IDs added
	w.Length(0) // IDs that were duplicates
}

// streamProducers reads the producers of a stream and forgets them.
func (r *rdbReader) streamProducers() {
	r.Length() // seconds
	r.Length() // IDs of a producer
	for n := r.Length(); n > 0 && !r.Bad; n-- {
		r.SkipText() // the producer
		for k := r.Length(); k > 0 && !r.Bad; k-- {
			r.SkipText() // its ID
			r.streamID() // of the entry
		}
	}
	r.Number() // IDs added
	r.Number() // IDs that were duplicates
}
