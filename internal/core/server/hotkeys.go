package server

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/reply"
)

// HotKeys is what HOTKEYS has measured since it began: the time that commands of clients took and
// the bytes that they moved, in all and by key. A command with several keys counts for each in
// equal parts.
type HotKeys struct {
	HotPlan
	Start    int64      // in ms since the epoch
	Times    *HotCounts // by key, in us; nil if not measured
	Bytes    *HotCounts // by key; nil if not measured
	All      HotCosts   // of all commands with keys
	Selected HotCosts   // of those with keys in the selected slots
	Sampled  HotCosts   // of those of them that were looked at; 0 if all are

	stopped   bool
	elapsed   int64 // from the start to the stop, in ms
	user, sys int64 // CPU time of the process at the start, in ms
}

// HotPlan is what HOTKEYS START asks for.
type HotPlan struct {
	CPU, Net bool  // what is measured by key: times, bytes
	Count    int   // number of keys to report
	Duration int64 // in ms; 0: until HOTKEYS STOP
	Sample   int64 // one command of so many is looked at
	Slots    []int // the selected slots, sorted; nil: all
}

// HotCosts are the costs of some commands.
type HotCosts struct{ Micros, Bytes int64 }

func (h *HotCosts) add(c HotCosts) { h.Micros, h.Bytes = h.Micros+c.Micros, h.Bytes+c.Bytes }

// HotCounts are sums by key. Of many keys only those with the largest sums are kept.
type HotCounts struct {
	Total int64
	of    map[string]int64
	most  int // number of keys to keep
}

// HotKey is a key with its sum.
type HotKey struct {
	Key string
	Sum int64
}

// keptPerKey is the number of keys that are counted for each that is reported.
const keptPerKey = 100

func newHotCounts(count int) *HotCounts {
	return &HotCounts{of: map[string]int64{}, most: count * keptPerKey}
}

func (h *HotCounts) add(key string, n int64) {
	h.Total += n
	if _, counted := h.of[key]; !counted {
		if n == 0 {
			return
		}
		if len(h.of) >= h.most {
			h.of = h.largest(h.most / 2)
		}
		key = strings.Clone(key)
	}
	h.of[key] += n
}

// largest returns the n keys with the largest sums.
func (h *HotCounts) largest(n int) map[string]int64 {
	kept := make(map[string]int64, n)
	for _, k := range h.Top(n) {
		kept[k.Key] = k.Sum
	}
	return kept
}

// Top returns at most n keys, those with the largest sums first.
func (h *HotCounts) Top(n int) []HotKey {
	list := make([]HotKey, 0, len(h.of))
	for _, key := range slices.Sorted(maps.Keys(h.of)) {
		list = append(list, HotKey{key, h.of[key]})
	}
	slices.SortStableFunc(list, func(a, b HotKey) int { return cmp.Compare(b.Sum, a.Sum) })
	return list[:min(n, len(list))]
}

// StartHotKeys begins to measure.
func (s *Server) StartHotKeys(p HotPlan) {
	h := &HotKeys{HotPlan: p, Start: s.Store.Now()}
	if p.CPU {
		h.Times = newHotCounts(p.Count)
	}
	if p.Net {
		h.Bytes = newHotCounts(p.Count)
	}
	h.user, h.sys = cpuMillis()
	s.Hot = h
}

// Active reports whether commands are still measured at a time in ms since the epoch.
func (h *HotKeys) Active(now int64) bool {
	return h != nil && !h.stopped && (h.Duration == 0 || now-h.Start < h.Duration)
}

// Stop ends the measurement.
func (h *HotKeys) Stop(now int64) { h.stopped, h.elapsed = true, now-h.Start }

// Elapsed returns for how long commands were measured, in ms.
func (h *HotKeys) Elapsed(now int64) int64 {
	switch {
	case h.stopped:
		return h.elapsed
	case h.Duration > 0:
		return min(h.Duration, now-h.Start)
	}
	return now - h.Start
}

// Used returns the CPU time of the process since the start, in ms.
func (h *HotKeys) Used() (user, sys int64) {
	user, sys = cpuMillis()
	return user - h.user, sys - h.sys
}

// noteHot counts a command of a client or of its transaction, after it has run.
func (s *Server) noteHot(sess *Session, door cmdtable.Door, spec *cmdtable.Spec, args []string, v reply.Value, micros int64) {
	h := s.Hot
	if door.FromScript() || s.Blocked != nil && door == cmdtable.DoorClient {
		return
	}
	keys := slices.DeleteFunc(spec.FindKeys(args), func(k cmdtable.Key) bool { return k.Flags&cmdtable.NotKey != 0 })
	if door == cmdtable.DoorClient && len(keys) == 0 {
		return
	}
	cost := HotCosts{micros, s.requestSize(door, args)}
	if !sess.silent {
		size, _ := s.replySize(sess, door, v, 0)
		cost.Bytes += size
	}
	if len(keys) == 0 || !h.Active(s.Store.Now()) {
		return
	}
	h.All.add(cost)
	if h.Slots != nil {
		if _, selected := slices.BinarySearch(h.Slots, datastore.Slot(args[keys[0].Pos])); !selected {
			return
		}
	}
	h.Selected.add(cost)
	if h.Sample > 1 {
		if s.Store.Rand().Int64N(h.Sample) != 0 {
			return
		}
		h.Sampled.add(cost)
	}
	for _, k := range keys {
		if h.Times != nil {
			h.Times.add(args[k.Pos], cost.Micros/int64(len(keys)))
		}
		if h.Bytes != nil {
			h.Bytes.add(args[k.Pos], cost.Bytes/int64(len(keys)))
		}
	}
}

func (s *Server) infoHotKeys(w *InfoWriter) {
	if s.Hot == nil {
		return
	}
	w.Field("hotkeys-tracking-active", bit(s.Hot.Active(s.Store.Now())))
	w.Zeros("hotkeys-cmd-cpu-time")
}
