package difftest

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// Mode is where the oracle's answers come from.
type Mode int

const (
	// Live asks a running server.
	Live Mode = iota
	// Replay reads goldens.
	Replay
)

// Runner plays case files against the oracle's answers.
type Runner struct {
	Mode   Mode
	Oracle *Oracle // nil in Replay
	Later  *Oracle // the server of the later version, or nil: its answers are replayed
	// Cluster is the server in cluster mode, which is started when a file first needs it. nil in
	// Replay.
	Cluster func() (*Oracle, error)
	// Seeds reads a script of the seeds folder.
	Seeds func(name string) (string, error)
}

// GoldenPath is where the golden of a case file stands.
func GoldenPath(path string) string { return strings.TrimSuffix(path, filepath.Ext(path)) + ".golden" }

// isLive reports whether f is compared with a server; else its golden is replayed.
func (r *Runner) isLive(f *File) bool {
	if f.Compat() != "" {
		return r.Later != nil
	}
	return r.Oracle != nil
}

// live is the server to ask about f.
func (r *Runner) live(f *File) (*Oracle, error) {
	switch {
	case f.Compat() != "":
		return r.Later, nil
	case f.Cluster:
		return r.Cluster()
	}
	return r.Oracle, nil
}

// options are those of an engine to play f on.
func (f *File) options() engine.Options {
	name := f.Compat()
	if f.Server != servers.Redis70 {
		name = f.Server.String()
	}
	return engine.Options{Server: name, Cluster: f.Cluster}
}

// Record asks the live oracle for the answers to f in all wrappings that its doors need.
func (r *Runner) Record(f *File) (*Recording, error) {
	o, err := r.live(f)
	if err != nil {
		return nil, err
	}
	return r.RecordOn(o, f)
}

// RecordOn is Record for an oracle that the caller chooses.
func (r *Runner) RecordOn(o *Oracle, f *File) (*Recording, error) {
	rec := &Recording{Version: f.version(), Hash: f.Hash, plays: map[wrapping]*playback{}}
	for _, d := range f.Doors {
		w := d.wrapping()
		if rec.plays[w] != nil {
			continue
		}
		if err := o.Reset(); err != nil {
			return nil, err
		}
		start := Present()
		outs, err := play(o, f, w, r.Seeds)
		if err != nil {
			return nil, fmt.Errorf("oracle: %w", err)
		}
		rec.plays[w] = &playback{start: start, outs: outs}
	}
	return rec, nil
}

// Recorded returns the golden of f, even if there is an oracle: for a test that compares two ways
// of running Redmoon. TestOracle compares the golden with the oracle.
func (r *Runner) Recorded(f *File) (*Recording, error) {
	rec, err := ReadRecording(GoldenPath(f.Path), f)
	if err == nil && rec.Version != f.version() {
		err = fmt.Errorf("%s was recorded from redis-server %s", GoldenPath(f.Path), rec.Version)
	}
	return rec, err
}

// SameAs reports the first step at which two recordings of f disagree, beyond what its steps relax;
// 0 for none. Numbers compared by !approx may have any value: they are times, and the recordings
// were made at different times. If the step is marked as different they may be part of a text, so
// only the kind counts.
func (rec *Recording) SameAs(other *Recording, f *File) (line int, ok bool) {
	for w, p := range rec.plays {
		q := other.plays[w]
		if q == nil {
			return 0, false
		}
		for i := range f.Steps {
			s := f.Steps[i]
			if s.Relax.Approx > 0 {
				s.Relax.Approx = math.MaxInt64
				s.Relax.Kind = s.Relax.Kind || s.Differs != ""
			}
			if s.answers() && !s.accepts(w, q.outs[i], p.outs[i]) {
				return s.Line, false
			}
		}
	}
	return 0, true
}

// Fault is one step that Redmoon did not answer as the oracle did.
type Fault struct {
	Line int
	Text string
}

// Result is what one pass of Redmoon showed.
type Result struct {
	Faults []Fault
	// Differing says for each line marked !differs whether it differed in this pass.
	Differing map[int]bool
}

// Check plays f on a fresh engine through door d and compares it with rec.
func (r *Runner) Check(f *File, d Door, rec *Recording) (Result, error) {
	w := d.wrapping()
	want := rec.plays[w]
	if want == nil {
		return Result{}, fmt.Errorf("nothing recorded for door %s: run make record", d)
	}
	peer, stop, err := openDoor(d, f.options(), want.start)
	if err != nil {
		return Result{}, err
	}
	got, err := play(peer, f, w, r.Seeds)
	err = errors.Join(err, stop())
	if err != nil {
		return Result{}, fmt.Errorf("redmoon: %w", err)
	}
	return compare(f, w, want.outs, got), nil
}

func compare(f *File, w wrapping, want, got []outcome) Result {
	res := Result{Differing: map[int]bool{}}
	fault := func(s *Step, format string, args ...any) {
		res.Faults = append(res.Faults, Fault{s.Line, fmt.Sprintf(format, args...)})
	}
	for i := range f.Steps {
		s := &f.Steps[i]
		if !s.answers() {
			continue
		}
		equal := s.accepts(w, want[i], got[i])
		switch {
		case s.Differs != "":
			res.Differing[s.Line] = res.Differing[s.Line] || !equal
		case !equal:
			fault(s, "%s\n\toracle  %s\n\tredmoon %s", s.text(), want[i].clipped(), got[i].clipped())
		}
		if s.Frozen {
			if want[i].changed || !want[i].refused() {
				fault(s, "%s\n\tthe oracle does not refuse this: %s", s.text(), want[i].clipped())
			}
			if !got[i].refused() {
				fault(s, "%s\n\tredmoon does not refuse this: %s", s.text(), got[i].clipped())
			}
			if got[i].changed {
				fault(s, "%s\n\tthe keyspace has changed", s.text())
			}
		}
	}
	return res
}

// text is the step as it is shown in a fault.
func (s *Step) text() string {
	switch s.kind {
	case stepAwait:
		return "!await"
	case stepPushes:
		return "!pushes"
	case stepBlocked:
		return "!blocked"
	case stepRaw:
		return clip(fmt.Sprintf("raw %q", s.Raw), 300)
	}
	var b strings.Builder
	for i, a := range s.Args {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%q", clip(strings.TrimPrefix(a, "\x00"), 200))
	}
	return clip(b.String(), 600)
}

func (o outcome) clipped() string { return clip(o.line(), 2000) }

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return fmt.Sprintf("%s... (%d bytes)", s[:n], len(s))
}

// openDoor starts a fresh engine behind door d. stop checks the keyspace's invariants and ends it.
func openDoor(d Door, o engine.Options, start time.Time) (peer Peer, stop func() error, err error) {
	if d == DoorRESP {
		r, err := serveRedmoon(o, start)
		if err != nil {
			return nil, nil, err
		}
		return r, r.stop, nil
	}
	rm, err := newRedmoonWith(o, start)
	if err != nil {
		return nil, nil, err
	}
	return rm, rm.Stop, nil
}
