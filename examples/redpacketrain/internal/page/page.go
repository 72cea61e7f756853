// Package page is the live page: plain HTML with one script, fed by server-sent events.
//
// [Page.Publish] hands it a new state. Each event holds the newest state and the points of the
// charts that this browser has not seen yet; the first one after a (re)connection holds all points,
// so a browser needs nothing of what it had before.
package page

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// State is what the page shows. Money is in cents, rates are per second, latencies are in
// microseconds.
type State struct {
	Stage   string  `json:"stage"`   // one of the Stage constants
	On      string  `json:"on"`      // where the packets are
	Ledger  string  `json:"ledger"`  // what they are settled in
	Workers int     `json:"workers"` // who grab
	Elapsed float64 `json:"elapsed"` // seconds since the start
	Step    int64   `json:"step"`    // how far the stage has come
	Steps   int64   `json:"steps"`   // of how many
	Packets int64   `json:"packets"`
	Total   int64   `json:"total"` // money in all packets

	Rate    float64 `json:"rate"` // grabs
	P50     float64 `json:"p50"`  // of the calls in the last moment
	P95     float64 `json:"p95"`
	P99     float64 `json:"p99"`
	Grabbed int64   `json:"grabbed"`
	Given   int64   `json:"given"`   // money
	Refused int64   `json:"refused"` // calls of users who had a packet
	Empty   int64   `json:"empty"`   // calls that found none left
	Errors  int64   `json:"errors"`  // calls that failed and were made again

	SettleRate   float64 `json:"settleRate"`
	Settled      int64   `json:"settled"`      // grabs
	SettledMoney int64   `json:"settledMoney"` // of grabs
	Refunded     int64   `json:"refunded"`     // money settled back to senders
	Backlog      int64   `json:"backlog"`      // grabs not settled yet
	Kills        int64   `json:"kills"`        // how often a consumer has been killed

	Findings []Finding `json:"findings,omitempty"` // of the audit, when Stage is Done
	OK       bool      `json:"ok"`                 // all findings are well
	Failure  string    `json:"failure,omitempty"`  // what ended the run before its audit
}

// Finding is a question of the audit and its answer.
type Finding struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

// The stages of a run, in their order.
const (
	Prepare = "prepare"
	Grab    = "grab"
	Settle  = "settle"
	Audit   = "audit"
	Done    = "done"
)

// point is one moment in the charts.
type point struct {
	T          float64 `json:"t"` // seconds since the start
	Rate       float64 `json:"rate"`
	SettleRate float64 `json:"settleRate"`
	Given      int64   `json:"given"`
	Settled    int64   `json:"settled"` // money
}

// event is what a browser is sent.
type event struct {
	State  State   `json:"state"`
	Points []point `json:"points"`
	Reset  bool    `json:"reset"` // Points are all there are
}

// mostPoints is how many points are kept. When there are more, every second one goes.
const mostPoints = 600

//go:embed index.html style.css page.js
var assets embed.FS

// Page serves the page and its events. Make it with [New].
type Page struct {
	http.Handler

	mu      sync.Mutex
	state   State
	points  []point
	era     int           // counts the times that points were thinned out
	changed chan struct{} // closed at the next change
}

// New returns a page that shows nothing yet.
func New() *Page {
	p := &Page{changed: make(chan struct{}), state: State{Stage: Prepare}}
	mux := http.NewServeMux()
	files, err := fs.Sub(assets, ".")
	if err != nil {
		panic(err) // "." is a valid name
	}
	mux.Handle("GET /", http.FileServerFS(files))
	mux.HandleFunc("GET /events", p.events)
	p.Handler = secured(mux)
	return p
}

// secured lets the page load only what is served here. On this machine's own address it refuses
// requests that name another machine: a page of the web could give its own name that address.
func secured(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
		if at != nil && at.IP.IsLoopback() && !isLoopback(r.Host) {
			http.Error(w, "wrong host", http.StatusForbidden)
			return
		}
		w.Header().Set("Content-Security-Policy",
			"default-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; form-action 'none'")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-cache")
		h.ServeHTTP(w, r)
	})
}

// isLoopback reports whether a Host header names this machine by an address that only it has.
func isLoopback(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]") // without a port
	}
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}

// Publish shows a state. The charts get a point from it until the run is done.
func (p *Page) Publish(s State) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.Stage != Audit && s.Stage != Done {
		p.points = append(p.points, point{s.Elapsed, s.Rate, s.SettleRate, s.Given, s.SettledMoney})
	}
	if len(p.points) > mostPoints {
		half := p.points[:0]
		for i := 0; i < len(p.points); i += 2 {
			half = append(half, p.points[i])
		}
		p.points = half
		p.era++
	}
	p.state = s
	close(p.changed)
	p.changed = make(chan struct{})
}

// reader is how far a browser has come.
type reader struct {
	era, seen int
	begun     bool
}

// next is the event that brings a browser up to date, and what is closed when there is another.
func (p *Page) next(r *reader) (event, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := event{State: p.state, Reset: !r.begun || r.era != p.era}
	if e.Reset {
		r.seen = 0
	}
	e.Points = append([]point{}, p.points[r.seen:]...)
	*r = reader{era: p.era, seen: len(p.points), begun: true}
	return e, p.changed
}

// heartbeat is how often a silent connection is written to, so that one that is gone is noticed.
const heartbeat = 15 * time.Second

func (p *Page) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	if _, err := fmt.Fprint(w, "retry: 500\n\n"); err != nil {
		return
	}
	var at reader
	for {
		e, changed := p.next(&at)
		text, err := json.Marshal(e)
		if err != nil {
			panic(err) // no value here lacks a form in JSON
		}
		if _, err := fmt.Fprintf(w, "data: %s\n\n", text); err != nil || out.Flush() != nil {
			return
		}
		if !wait(r.Context(), w, out, changed, beat.C) {
			return
		}
	}
}

// wait returns true at a change, and false when the connection is gone.
func wait(ctx context.Context, w http.ResponseWriter, out *http.ResponseController, changed <-chan struct{}, beat <-chan time.Time) bool {
	for {
		select {
		case <-changed:
			return true
		case <-ctx.Done():
			return false
		case <-beat:
			if _, err := fmt.Fprint(w, ":\n\n"); err != nil || out.Flush() != nil {
				return false
			}
		}
	}
}
