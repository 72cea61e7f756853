package studio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// Limits of a session.
const (
	MaxRequest  = 4 << 20   // bytes of a request
	maxSource   = 512 << 10 // bytes of a script
	maxFixture  = 1 << 20   // bytes of a fixture
	maxWords    = 10_000    // keys, or arguments
	maxCalls    = 500       // calls in a State
	maxOutput   = 500       // lines of output in a State
	maxElements = 200       // keys in a State
	maxText     = 4 << 10   // bytes of a reply or value in a State
)

// Options of a session. The zero value works.
type Options struct {
	// Document is what open returns first. Default: the first example.
	Document *Document
	// Steps and Memory limit a script; see engine.Options. Default: 50 million steps, 64 MiB.
	Steps, Memory int64
	// Version is that of the program, for people.
	Version string
}

// Document is everything that a link to a case holds.
type Document struct {
	Name    string `json:"name,omitempty"`
	Source  string `json:"source"`
	Call    string `json:"call,omitempty"`    // the function to call, if the source is a library
	Keys    string `json:"keys,omitempty"`    // words, as in a shell
	Args    string `json:"args,omitempty"`    // words, as in a shell
	Fixture string `json:"fixture,omitempty"` // commands, or JSON if it begins with {
	Server  string `json:"server,omitempty"`  // that the engine follows; see engine.Options.Server
	// Breakpoints are lines, from 1.
	Breakpoints []int `json:"breakpoints,omitempty"`
}

// Session is one page. It is safe for concurrent use.
type Session struct {
	o    Options
	turn chan struct{} // holds a token while nobody uses the fields of the second group

	e      *engine.Engine
	server string // that e follows, as the request has named it
	clock  clock
	run    *run

	mu     sync.Mutex
	active *debugger.Session // of run; nil: none
	closed bool
}

// New returns a session.
func New(o Options) *Session {
	if o.Steps == 0 {
		o.Steps = 50_000_000
	}
	if o.Memory == 0 {
		o.Memory = 64 << 20
	}
	s := &Session{o: o, turn: make(chan struct{}, 1)}
	s.turn <- struct{}{}
	return s
}

// Close ends the script that is running, and frees everything.
func (s *Session) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.stop()
	<-s.turn
	s.endRun()
	if s.e != nil {
		s.e.Close()
		s.e = nil
	}
	s.turn <- struct{}{}
}

// request is what Handle reads. Which fields have a meaning depends on Op.
type request struct {
	Op string `json:"op"`
	Document
	Keep   bool   `json:"keep"`
	How    string `json:"how"`
	Code   string `json:"code"`
	Frame  int    `json:"frame"`
	At     int    `json:"at"`
	Packed string `json:"packed"`
}

var (
	errClosed  = errors.New("the session has ended")
	errNoRun   = errors.New("no script is being debugged")
	errUnknown = errors.New("unknown request")
)

// Handle answers a request. It returns when the script has stopped or ended. ctx is that of the
// request: if it ends first, so does the script.
func (s *Session) Handle(ctx context.Context, body []byte) []byte {
	answer, err := s.handle(ctx, body)
	if err != nil {
		answer = map[string]string{"error": err.Error()}
	}
	b, err := json.Marshal(answer)
	if err != nil {
		b, _ = json.Marshal(map[string]string{"error": err.Error()})
	}
	return b
}

func (s *Session) handle(ctx context.Context, body []byte) (any, error) {
	if len(body) > MaxRequest {
		return nil, fmt.Errorf("the request has more than %d bytes", MaxRequest)
	}
	var r request
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, fmt.Errorf("the request is not valid: %w", err)
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	switch r.Op {
	case "open":
		return s.open(), nil
	case "stop":
		s.stop()
		return struct{}{}, nil
	case "complete":
		return complete(r.Source, r.Server, r.At)
	case "hover":
		return hover(r.Source, r.Server, r.At)
	case "check":
		return check(ctx, s.o, r.Source, r.Server)
	case "pack":
		return pack(r.Document)
	case "unpack":
		return unpack(r.Packed)
	}
	select {
	case <-s.turn:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { s.turn <- struct{}{} }()
	switch r.Op {
	case "run", "debug":
		return s.begin(ctx, r)
	case "step":
		return s.step(ctx, r.How)
	case "breakpoints":
		return s.setBreakpoints(r.Source, r.Breakpoints), nil
	case "eval":
		return s.eval(r.Frame, r.Code)
	}
	return nil, errUnknown
}

func (r *request) check() error {
	switch {
	case len(r.Source) > maxSource:
		return fmt.Errorf("the script has more than %d KB", maxSource>>10)
	case len(r.Fixture) > maxFixture:
		return fmt.Errorf("the fixture has more than %d KB", maxFixture>>10)
	case len(r.Breakpoints) > maxWords:
		return fmt.Errorf("there are more than %d breakpoints", maxWords)
	}
	return nil
}

// opened is the answer to open.
type opened struct {
	Document Document   `json:"document"`
	Examples []Document `json:"examples"`
	Version  string     `json:"version"`
	Redis    string     `json:"redis"`
	Servers  []string   `json:"servers"` // that an engine can follow; the first is the default
}

func (s *Session) open() opened {
	o := opened{Examples: Examples(), Version: s.o.Version, Redis: engine.RedisVersion}
	for _, server := range servers.All() {
		o.Servers = append(o.Servers, server.String())
	}
	o.Document = o.Examples[0]
	if s.o.Document != nil {
		o.Document = *s.o.Document
	}
	return o
}

// stop ends the script, if any.
func (s *Session) stop() {
	s.mu.Lock()
	active := s.active
	s.mu.Unlock()
	if active != nil {
		active.Abort()
	}
}

// setActive makes d the script that stop ends.
func (s *Session) setActive(d *debugger.Session) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed && d != nil {
		return errClosed
	}
	s.active = d
	return nil
}
