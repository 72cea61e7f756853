// Package meter counts and times the grabs of a run while it goes on, and afterwards.
//
// Each worker has a [Worker] of its own, so that they hardly ever wait for each other.
// [Meter.Window] gives what has been measured since it was last asked, [Meter.Total] everything.
package meter

import (
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// longest is the longest latency that is distinguished from longer ones.
const longest = time.Minute

// Counts are numbers of calls by their result, and the money given out.
type Counts struct {
	Grabbed int64 // calls that got a packet, and users found to have got one by a call whose outcome was unknown
	Cents   int64 // what was in these packets
	Refused int64 // calls of users who had a packet already
	Empty   int64 // calls that found no packet left
	Errors  int64 // calls that failed; the worker made them again
}

// Calls is the number of all calls.
func (c Counts) Calls() int64 { return c.Grabbed + c.Refused + c.Empty + c.Errors }

func (c *Counts) add(d Counts) {
	c.Grabbed += d.Grabbed
	c.Cents += d.Cents
	c.Refused += d.Refused
	c.Empty += d.Empty
	c.Errors += d.Errors
}

// Measures are counts and the latencies of the calls.
type Measures struct {
	Counts
	latency *hdrhistogram.Histogram
}

// Quantile is the latency that a share q of the calls stayed below, 0 < q < 1; 0 when there were no
// calls.
func (m *Measures) Quantile(q float64) time.Duration {
	return time.Duration(m.latency.ValueAtQuantile(100 * q))
}

// Max is the longest latency.
func (m *Measures) Max() time.Duration { return time.Duration(m.latency.Max()) }

func newMeasures() *Measures {
	return &Measures{latency: hdrhistogram.New(1, int64(longest), 3)}
}

// Worker is what one worker notes its calls in.
type Worker struct {
	mu    sync.Mutex
	since *Measures // since the last window
}

// Note notes one call.
func (w *Worker) Note(latency time.Duration, c Counts) {
	w.mu.Lock()
	w.since.add(c)
	_ = w.since.latency.RecordValue(int64(min(max(latency, 1), longest))) // in range
	w.mu.Unlock()
}

// Meter puts the workers' notes together. Its methods may be called by any number of goroutines.
type Meter struct {
	workers []*Worker

	mu    sync.Mutex
	total *Measures
}

// New returns a meter for so many workers.
func New(workers int) *Meter {
	m := &Meter{total: newMeasures()}
	for range workers {
		m.workers = append(m.workers, &Worker{since: newMeasures()})
	}
	return m
}

// Worker is worker number i, from 0.
func (m *Meter) Worker(i int) *Worker { return m.workers[i] }

// Window returns what has been measured since the last call of Window or Total.
func (m *Meter) Window() *Measures {
	m.mu.Lock()
	defer m.mu.Unlock()
	window := newMeasures()
	for _, w := range m.workers {
		w.mu.Lock()
		window.add(w.since.Counts)
		window.latency.Merge(w.since.latency)
		w.since.Counts = Counts{}
		w.since.latency.Reset()
		w.mu.Unlock()
	}
	m.total.add(window.Counts)
	m.total.latency.Merge(window.latency)
	return window
}

// Total returns everything that has been measured.
func (m *Meter) Total() *Measures {
	m.Window()
	m.mu.Lock()
	defer m.mu.Unlock()
	return &Measures{Counts: m.total.Counts, latency: hdrhistogram.Import(m.total.latency.Export())}
}
