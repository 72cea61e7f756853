package server

import "github.com/redmoon-lua/redmoon/datastore"

// EnterFile moves the keys of an RDB file, which were staged for the store of s, into the keyspace.
// Sessions that watch or wait for one of them are notified. Sessions that track keys are notified
// as by FLUSHALL.
func (s Control) EnterFile(f *datastore.StagedFile) {
	var watched []WatchKey
	for k := range s.Clients.watched {
		if f.Has(k.DB.ID(), k.Key) {
			watched = append(watched, k)
		}
	}
	s.separately(f.Enter)
	for _, k := range watched {
		s.touchWatched(&datastore.Change{DB: k.DB, Key: k.Key})
	}
	s.InvalidateAll()
	for i := range s.Store.Databases() {
		s.SignalAll(s.Store.DB(i))
	}
	s.replaced()
}
