package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/crew"
	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/ledger"
	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/page"
	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/rain"
	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/settle"
	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/target"
	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/terminal"
	"github.com/redmoon-lua/redmoon/internal/base/money"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

// takeover is how long a batch of a killed consumer waits for another one.
const takeover = 500 * time.Millisecond

func (o *options) run(ctx context.Context) (err error) {
	on, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, on.Close()) }()
	dsn, remove, err := o.dsn()
	if err != nil {
		return err
	}
	defer remove()
	l, err := ledger.Open(ctx, dsn)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	watch, served, err := o.watch()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, served(ctx)) }()

	settings, workers, err := o.settings(ctx, on, l, dsn)
	if err != nil {
		return err
	}
	settings.Watch = watch
	r, err := rain.New(settings)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.stdout, "%s packets with %s for %s users, %s workers, on %s; settled in %s\n\n", money.Count(int64(o.Packets)),
		money.Format(settings.Total),
		money.Count(int64(r.Options().Users)), money.Count(int64(o.Workers)), on.Name, l.Name())
	report, err := r.Run(ctx)
	if errors.Is(err, redpacket.ErrExists) && o.Dir != "" {
		return fmt.Errorf("%s holds a run with other flags", o.Dir)
	}
	if err != nil {
		return err
	}
	var faults *terminal.Faults
	if workers != nil {
		faults = &terminal.Faults{Kills: workers.Killed(), Again: workers.Again()}
	}
	if err := terminal.Table(o.stdout, report, faults); err != nil {
		return err
	}
	if !report.OK() {
		return errAudit // the keys stay, for whoever looks into it
	}
	cleaning := context.WithoutCancel(ctx)
	if _, err := on.DoStrings(cleaning, "DEL", runKey); err != nil { // so that the next run is a new one
		return err
	}
	return r.Clean(cleaning)
}

// runKey holds the number of the run that has not ended, if the packets are in files.
const runKey = "redpacketrain:run"

// number returns the number of the run: that of the one to continue, or a new one.
func (o *options) number(ctx context.Context, on *target.Target) (uint32, error) {
	n := rand.Uint32()
	if o.Dir == "" {
		return n, nil
	}
	before, err := on.DoStrings(ctx, "SET", runKey, fmt.Sprint(n), "NX", "GET")
	if err != nil || before.IsNil() {
		return n, err
	}
	fmt.Fprintln(o.stdout, "continuing the run that did not end")
	_, err = fmt.Sscan(before.Text(), &n)
	return n, err
}

// open opens the place where the packets are.
func (o *options) open(ctx context.Context) (*target.Target, error) {
	switch {
	case o.Target != "":
		return target.Open(ctx, o.Target, o.Workers+o.Activities*o.Consumers+4)
	case o.Kill > 0:
		return target.Served(o.Dir)
	}
	return target.Embedded(o.Shards, o.Dir)
}

// dsn returns where to settle, and removes it at the end if it was made for this run.
func (o *options) dsn() (dsn string, remove func(), err error) {
	if o.DSN != "" || o.DB != "" {
		return o.DSN + o.DB, func() {}, nil
	}
	if o.Dir != "" {
		return filepath.Join(o.Dir, "rain.db"), func() {}, nil
	}
	folder, err := os.MkdirTemp("", "redpacketrain")
	return filepath.Join(folder, "rain.db"), func() { os.RemoveAll(folder) }, err
}

// settings are the options of the run, and the crew that settles in other processes, if there is
// one.
func (o *options) settings(ctx context.Context, on *target.Target, l *ledger.Ledger, dsn string) (rain.Options, *crew.Crew, error) {
	total, err := money.Parse(o.Total)
	if err != nil {
		return rain.Options{}, nil, err
	}
	n, err := o.number(ctx, on)
	if err != nil {
		return rain.Options{}, nil, err
	}
	s := rain.Options{
		Client: on, On: on.Name, Ledger: l, Name: fmt.Sprintf("rain-%08x", n),
		Activities: o.Activities, Packets: o.Packets, Total: total, Users: o.Users, Workers: o.Workers,
		Settle: settle.Options{Consumers: o.Consumers, Batch: o.Batch, Logger: slog.New(slog.NewTextHandler(o.stderr, nil))},
	}
	if o.Dir != "" {
		s.Rand = rand.New(rand.NewPCG(uint64(n), 0))
		s.Settle.Visibility = takeover // of batches of a process that has died
	}
	if o.Over > 0 {
		s.Admit = rain.Evenly(o.Over)
	}
	if o.Kill == 0 {
		return s, nil, nil
	}
	s.Settle.Visibility = takeover
	workers := &crew.Crew{
		Config: crew.Config{Target: on.URL, Ledger: dsn, Consumers: o.Consumers, Batch: o.Batch, Visibility: takeover},
		Kills:  o.Kill, Stderr: o.stderr,
	}
	s.Consume, s.Kills = workers.Run, workers.Killed
	return s, workers, nil
}

// watch is what shows how the run stands. served is called at the end: it serves the page on until
// ctx ends.
func (o *options) watch() (watch func(page.State), served func(context.Context) error, err error) {
	var shows []func(page.State)
	if o.tty {
		shows = append(shows, terminal.NewBars(o.stderr).Show)
	}
	served = func(context.Context) error { return nil }
	if o.Listen != "" {
		p := page.New()
		if served, err = o.serve(p); err != nil {
			return nil, nil, err
		}
		shows = append(shows, p.Publish)
	}
	return func(s page.State) {
		for _, show := range shows {
			show(s)
		}
	}, served, nil
}

func (o *options) serve(p *page.Page) (served func(context.Context) error, err error) {
	l, err := net.Listen("tcp", o.Listen)
	if err != nil {
		return nil, err
	}
	ending, end := context.WithCancel(context.Background())
	s := &http.Server{
		Handler: p, ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ending }, // ends what is sent to browsers
	}
	failed := make(chan error, 1)
	go func() { failed <- s.Serve(l) }()
	fmt.Fprintf(o.stdout, "the live page is http://%s\n", l.Addr())
	return func(ctx context.Context) error {
		if ctx.Err() == nil {
			fmt.Fprintf(o.stdout, "\nthe page stays at http://%s until Ctrl-C\n", l.Addr())
		}
		select {
		case <-ctx.Done():
		case err := <-failed:
			end()
			return err
		}
		end()
		return s.Shutdown(context.WithoutCancel(ctx))
	}, nil
}
