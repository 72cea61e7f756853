package persist

import (
	"time"
)

// tickEvery is how often save points and the size of the append-only file are looked at.
const tickEvery = 100 * time.Millisecond

// tickSoon makes sure that tick runs.
func (f *fileSet) tickSoon() {
	if f.stopTick == nil && !f.closed && f.ready {
		f.stopTick = f.host.AfterFunc(tickEvery, func() { f.host.Post(f.tick) })
	}
}

// tick does what Redis does in its cron.
func (f *fileSet) tick() {
	f.stopTick = nil
	if f.closed {
		return
	}
	defer f.tickSoon()
	now := f.now()
	if f.aof.on() {
		f.aof.repair()
	} else if f.aof.absent != nil && !f.host.Now().Before(f.aof.restartAt) {
		f.restart()
	}
	if f.s.RunningImage() != nil || f.rewrite != nil || f.s.Store.Recording() {
		return
	}
	if f.rewrites.scheduled && !f.rewrites.limited(now) {
		_ = f.startRewrite()
		return
	}
	mayRetry := now-f.dumps.tried > retryDelay || !f.dumps.failed
	for _, p := range f.savePoints() {
		if f.s.Loading.CopyMissing {
			break // the file has what is missing in memory
		}
		if changes := f.s.Changes(); changes >= p.changes && now-f.dumps.last > p.seconds && mayRetry {
			f.notice("%d changes in %d seconds. Saving...", p.changes, p.seconds)
			_ = f.startDump()
			return
		}
	}
	if f.aof.on() && f.growth(now) {
		_ = f.startRewrite()
		return
	}
	if f.dumps.scheduled && mayRetry {
		_ = f.startDump()
	}
}

// growth reports whether the append-only file has grown so much that it must be rewritten.
func (f *fileSet) growth(now int64) bool {
	percent := f.s.Config.Int("auto-aof-rewrite-percentage")
	size := f.aof.size()
	if percent == 0 || size <= f.s.Config.Int("auto-aof-rewrite-min-size") || f.rewrites.limited(now) {
		return false
	}
	grown := size*100/max(f.aof.baseSize, 1) - 100
	if grown >= percent {
		f.notice("Starting automatic rewriting of AOF on %d%% growth", grown)
		return true
	}
	return false
}

// rewrites is the state of BGREWRITEAOF over time.
type rewrites struct {
	scheduled bool
	failures  int64 // in a row
	failed    bool  // the last one has failed
	notBefore int64 // after failures: seconds of Unix time
	took      int64 // seconds that the last one took; -1: there was none
	count     int64
}

// The delay between rewrites after failures, as in Redis: from the third on, 1 minute, doubled each
// time up to an hour.
const (
	failuresFree = 3
	maxDelay     = 60
)

func (r *rewrites) limited(now int64) bool { return r.failures >= failuresFree && now < r.notBefore }

func (r *rewrites) fail(now int64) {
	r.failed = true
	if r.failures++; r.failures >= failuresFree {
		minutes := int64(1) << min(r.failures-failuresFree, 6)
		r.notBefore = now + 60*min(minutes, maxDelay)
	}
}
