package replay

// Options, and the way of a replay from the empty engine to the report.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/datastore/rdbfile"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/internal/tools/recording"
)

// Options say how a recording is replayed. The zero value replays all of it on an empty engine.
type Options struct {
	Data    string   // path of an RDB file with the keys at the start; "": none
	Scripts []string // texts of scripts that the server had in its cache at the start
	Server  string   // the server to follow; "": the recorded one, or the nearest

	// Only replies of these connections, and only those in a part of the recording, are compared.
	// Everything before To runs. Zero: all.
	Connections []int64
	From, To    time.Duration

	MaxDifferences int     // that are kept in the report; 0: 100
	Speed          float64 // 1 replays as fast as it was recorded, 2 twice as fast; 0: without pauses

	Dump io.Writer // gets an RDB file with the keys at the end; nil: none
	// Ran is called for each command in the order in which the replay runs them. Optional.
	Ran    func(Ran)
	Logger *slog.Logger // of the engine; nil: nothing is logged
}

// Ran is a command that has run.
type Ran struct {
	Conn, N int64
	Line    int64
	At      time.Time // by the clock of the recorded server
	DB      int
	// Args are what the replay has run. They differ from the recorded ones where chance decides the
	// effect of a command: SPOP becomes SREM.
	Args     []string
	Recorded []string
	Reply    string // the recorded reply, in RESP; "" if there is none
	Cut      bool   // the recorded reply is longer
	Verdict  Verdict
	Unsorted bool // Redis gives the elements no order
	Pairs    bool // with Unsorted: a flat list is a list of pairs
	Proto    int  // protocol of the connection, 2 or 3
	Data     bool // it reads or writes keys, or runs a script
	Script   bool // it runs a script or function
	Blocking bool // it may wait, such as BLPOP
	Source   string
	Tx       bool // it has run in a transaction
}

// Verdict says how a reply compares with the recorded one.
type Verdict struct {
	Differs bool
	Why     Reason // why another reply is allowed; "": it is the same
}

// maxSteps bounds scripts that would not end. A script takes about a minute for so many steps.
const maxSteps = 2_000_000_000

// replayer replays one recording.
type replayer struct {
	options Options
	ctx     context.Context
	src     *recording.Reader
	window  *window
	server  servers.Server // Options.Server
	engine  *engine.Engine
	conns   *engineConns
	report  *Report

	clock     *clock
	base      int64         // time of the start by the clock of the server, in us since the epoch
	tolerance time.Duration // how far a time may be from the recorded one; it grows with slow replies
	began     time.Time     // when the replay began

	called         called
	undeclaredKeys map[string]bool // scripts that use keys that they do not declare
	varying        varyingKeys
	knownScripts   map[string]bool  // SHA1s of Options.Scripts
	sessionIDs     map[string]int64 // CLIENT ID in the engine by CLIENT ID in the recording
	recent         []*operation     // the last operations that have run
	filter         map[int64]bool   // Options.Connections
	unseen         []int64          // those of Options.Connections that have not opened
}

// Run replays a recording. It fails if the engine, a file or ctx does; differences are in the
// report.
func Run(ctx context.Context, src *recording.Reader, o Options) (*Report, error) {
	r := &replayer{
		options: o, ctx: ctx, src: src, base: src.Header.Started.UnixMicro() + src.Header.ClockAhead,
		undeclaredKeys: map[string]bool{}, varying: varyingKeys{}, knownScripts: map[string]bool{}, sessionIDs: map[string]int64{},
		tolerance: time.Duration(src.Header.ClockError)*time.Microsecond + 2*time.Millisecond,
		report:    &Report{Header: src.Header, Allowed: map[Reason]int{}, NotRun: map[Reason]int{}},
		filter:    map[int64]bool{}, began: time.Now(),
	}
	for _, n := range o.Connections {
		r.filter[n] = true
		r.unseen = append(r.unseen, n)
	}
	if err := r.start(); err != nil {
		return nil, err
	}
	defer r.engine.Close()
	if err := r.runAll(); err != nil {
		return nil, err
	}
	if err := r.finish(); err != nil {
		return nil, err
	}
	if len(r.unseen) > 0 {
		return nil, fmt.Errorf("connection %d is not in what was replayed of the recording", r.unseen[0])
	}
	return r.report, nil
}

// ServerOf returns the name of the server that an engine follows for a recorded release of Redis.
func ServerOf(release string) string { return servers.Nearest(servers.Redis, release).String() }

// start makes the engine.
func (r *replayer) start() error {
	h := &r.src.Header
	if r.options.Server == "" {
		r.options.Server = ServerOf(h.Server)
	}
	var ok bool
	if r.server, ok = servers.Parse(r.options.Server); !ok {
		return fmt.Errorf("%q is not one of %s", r.options.Server, servers.Names())
	}
	table := cmdrows.TableOf(r.server)
	r.called.table = table
	r.window = &window{src: r.src, table: table, clients: map[int64]*client{}}
	r.clock = &clock{now: time.UnixMicro(r.base)}
	databases := 16
	if n := h.Config["databases"]; n != "" {
		if _, err := fmt.Sscan(n, &databases); err != nil || databases < 1 || databases > 1<<16 {
			return fmt.Errorf("the recording says that the server has %q databases", n)
		}
	}
	e, err := engine.New(engine.Options{
		Clock: r.clock, Server: r.options.Server, Cluster: h.Cluster, Databases: databases, ScriptSteps: maxSteps, Logger: r.options.Logger,
		ScriptMigrate: true, // it is refused for the reason of all commands that reach other servers
		Config:        map[string]string{"busy-reply-threshold": "0", "slowlog-log-slower-than": "-1"},
	})
	if err != nil {
		return err
	}
	r.engine = e
	if err := r.prepare(); err != nil {
		_ = e.Close()
		return err
	}
	return nil
}

// prepare brings the engine into the state of the server at the start.
func (r *replayer) prepare() (err error) {
	for name, value := range r.src.Header.Config {
		if !recording.Decides(name) {
			continue // no recorder writes it
		}
		_, _ = r.engine.Do(r.ctx, "CONFIG", "SET", name, value) // another version may not know it
	}
	if r.options.Data != "" {
		if _, err := r.engine.LoadRDBFile(r.ctx, r.options.Data, engine.LoadOptions{}); err != nil {
			return err
		}
	}
	for _, text := range r.options.Scripts {
		v, err := r.engine.Do(r.ctx, "SCRIPT", "LOAD", text)
		if err != nil {
			return fmt.Errorf("loading a script: %w", err)
		}
		r.knownScripts[v.Text()] = true
	}
	if r.conns, err = newEngineConns(r.engine); err != nil {
		return err
	}
	return r.engine.SetProbe(r.ctx, &engine.Probe{Ran: r.called.probe, Refuse: r.refuse})
}

// refuse refuses what a script must not do in a replay: reach for files and other servers. Commands
// of clients have been judged before.
func (r *replayer) refuse(c engine.ProbedCommand) *engine.Error {
	if c.Script && factsOf(r.called.table, c.Args).withheld {
		return &engine.Error{Code: "ERR", Message: "a replay does not run " + c.Args[0]}
	}
	return nil
}

// micros returns a time of the recording by the clock of the server, in us since the epoch.
func (r *replayer) micros(at time.Duration) int64 { return r.base + at.Microseconds() }

func (r *replayer) now() int64 { return r.clock.Now().UnixMicro() }

// runAll runs all operations.
func (r *replayer) runAll() error {
	for {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		o := r.window.readAhead()
		if o == nil || (r.options.To > 0 && o.kind == runsCommands && o.sentAt > r.options.To) {
			return nil
		}
		if err := r.runNext(o); err != nil {
			return err
		}
	}
}

// finish completes the report.
func (r *replayer) finish() error {
	for _, id := range slices.Sorted(maps.Keys(r.window.clients)) {
		r.closeClient(r.window.clients[id])
	}
	p := r.report
	if r.window.lost > 0 {
		p.NotRun[NoReply] += int(r.window.lost)
	}
	p.Unparsed = int(r.window.unparsed)
	switch {
	case errors.Is(r.window.err, recording.ErrTorn):
		p.Unfinished = true
	case r.window.err != nil:
		p.Damage = r.window.err.Error()
	case r.window.ended && !r.src.Ended():
		p.Unfinished = true
	}
	if r.options.Dump != nil {
		return r.dump()
	}
	return nil
}

// dump writes the keys at the end.
func (r *replayer) dump() error {
	var libraries []string
	v, err := r.engine.Do(r.ctx, "FUNCTION", "LIST", "WITHCODE")
	if err != nil {
		return err
	}
	for _, lib := range v.Slice() {
		if fields, err := lib.Map(); err == nil {
			libraries = append(libraries, fields["library_code"].Text())
		}
	}
	writing := rdbfile.Writing{
		RedisVersion: r.server.RedisRelease(), Created: r.clock.Now(), Functions: libraries, Compress: true, Version: r.server.DumpVersion(),
	}
	return enginedoor.Of(r.engine).Store(r.ctx, func(st *datastore.Store) error {
		return rdbfile.Write(r.options.Dump, st, writing)
	})
}
