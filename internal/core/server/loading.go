package server

import (
	"fmt"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
)

// Loading is the state of a load of the data set: at the start, by DEBUG RELOAD, or by a full
// resynchronization. While it is active, most commands get a LOADING error, and keys do not expire.
//
// A load runs on the loop. It calls [Control.LoadingProgress] from time to time, which lets the
// loop serve other clients.
type Loading struct {
	Active bool
	// Async: the data set before is served until the load has ended (repl-diskless-load swapdb).
	// Commands that the table forbids then are refused; others run.
	Async  bool
	Start  int64 // ms since the epoch
	Total  int64 // bytes to load; 0 is not known
	Loaded int64 // bytes loaded

	CopyMissing bool  // the data of a replica is gone, and the copy of its master's has not been loaded
	Failed      error // why the data set is not whole; nil: it is. Everything is refused then

	Unwanted bool // the engine is being closed: a load at the start should end

	LastExpired int // keys of the last RDB file that had expired
	LastKeys    int // keys of the last RDB file that were loaded
}

// ErrLoading is the error of commands while the data set is being loaded.
const ErrLoading = errtext.Loading

// StartLoading begins a load of so many bytes, 0 if that is not known.
func (d Control) StartLoading(total int64, async bool) {
	l := &d.Loading
	l.Active, l.Async, l.Start, l.Total, l.Loaded = true, async, d.Store.Now(), total, 0
	d.Store.SetKeepExpired(!async)
}

// LoadingProgress notes how many bytes have been loaded since StartLoading, and serves other
// clients. Caller must not be in the middle of a change of the keyspace.
func (s Control) LoadingProgress(loaded int64) {
	s.Loading.Loaded = loaded
	s.Owner.ServeOthers()
}

// EndLoading ends a load.
func (d Control) EndLoading() {
	d.Loading.Active, d.Loading.Async = false, false
	d.Store.SetKeepExpired(false)
}

// loadingError returns the error for a command while the data set is being loaded, or "".
func (s *Server) loadingError(a attempt) string {
	l, flags := &s.Loading, a.spec.Flags
	if a.spec.IsExec {
		for _, args := range a.sess.Queue {
			queued := s.Table.Resolve(args).Flags
			flags = flags&^(cmdtable.Loading&^queued) | queued&cmdtable.NoAsyncLoading
		}
	}
	if !l.Active || l.Async && flags&cmdtable.NoAsyncLoading == 0 || !l.Async && flags&cmdtable.Loading != 0 {
		return ""
	}
	return errtext.Loading
}

// infoLoading writes the fields of a running load.
func (d *dataSet) infoLoading(w *InfoWriter) {
	l := &d.Loading
	if !l.Active {
		return
	}
	elapsed, eta, perc := (d.Store.Now()-l.Start)/1000, int64(1), 0.0
	if l.Total > 0 {
		perc = float64(l.Loaded) / float64(l.Total) * 100
	}
	if elapsed == 0 {
		eta = 1
	} else if l.Loaded > 0 {
		eta = elapsed * (l.Total - l.Loaded) / l.Loaded
	}
	w.Field("loading_start_time", l.Start/1000)
	w.Field("loading_total_bytes", l.Total)
	w.Field("loading_rdb_used_mem", 0)
	w.Field("loading_loaded_bytes", l.Loaded)
	w.Field("loading_loaded_perc", fmt.Sprintf("%.2f", perc))
	w.Field("loading_eta_seconds", eta)
}
