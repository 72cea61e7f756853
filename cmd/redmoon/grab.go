package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/grab"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/goredis"
	"github.com/redmoon-lua/redmoon/internal/base/money"
	"github.com/redmoon-lua/redmoon/persist"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

type grabCommand struct {
	Packets    int    `default:"100000" help:"Number of red packets. Default ${default}."`
	Workers    int    `default:"20" help:"Number of workers that grab at the same time. Default ${default}."`
	Total      string `default:"1000000.00" placeholder:"AMOUNT" help:"Sum of all packets. Default ${default}."`
	Equal      bool   `help:"Put the same amount into all packets. Default: random amounts."`
	Users      int    `placeholder:"N" help:"Number of users. Default: one tenth more than packets."`
	Activities int    `default:"1" help:"Number of activities, and so of cluster slots, that share the packets. Default ${default}."`
	Shards     int    `default:"1" help:"Number of embedded engines that share the slots. Default ${default}."`
	Target     string `placeholder:"URL" help:"Run on a real server instead of the embedded engine; see above for the URLs."`
	Cancel     bool   `help:"Let workers cancel calls at random moments and try again."`

	Dir   string `placeholder:"DIR" help:"Keep the packets in files there (made if missing). A later run with the same flags continues."`
	Fsync string `default:"" enum:",always,everysec,no" help:"With --dir: when files are flushed. Default always."`

	Patience time.Duration `default:"30s" help:"How long a user repeats calls that fail on the target. Default ${default}."`
	Expire   bool          `help:"Close the activities afterwards, so that the sender gets back what is left."`
}

// Help is the long text of "redmoon grab --help".
func (grabCommand) Help() string {
	return `Each user may grab one packet, by one call of the script of scripts/redpacket. There are more
users than packets, and one user in nineteen calls twice. Afterwards the records are audited: no user
has two packets, no packet was given twice, the money adds up to the cent, no packet is left, every
grab is on the settlement stream, and the answers to the users agree with the records. The exit code
is 1 if the audit fails.

The target is redis://[[user]:password@]host[:port][/db], rediss://, unix://,
redis+cluster://host:port[?addr=host:port] or redis+sentinel://host:port?master_name=name. The keys
there begin with redpacket:{redmoon-grab- and are deleted at the end.`
}

func (c *grabCommand) Run(std *streams) error {
	total, err := money.Parse(c.Total)
	if err != nil {
		return err
	}
	on, err := c.open(std.interruptible)
	if err != nil {
		return err
	}
	defer on.close()
	strategy := redpacket.DoubleMean
	if c.Equal {
		strategy = redpacket.Equal
	}
	patience := c.Patience
	if on.exact {
		patience = 0 // an engine does not fail and come back
	}
	name, amounts := fmt.Sprintf("redmoon-grab-%08x", rand.Uint32()), (*rand.Rand)(nil)
	if c.Dir != "" { // a later run must find the same packets
		name, amounts = "redmoon-grab", rand.New(rand.NewPCG(1, 1))
	}
	run, err := grab.New(on.client, grab.Options{
		Patience: patience, Rand: amounts,
		Activity: name, Activities: c.Activities,
		Packets: c.Packets, Workers: c.Workers, Total: total, Users: c.Users, Cancel: c.Cancel, Strategy: strategy,
	})
	if err != nil {
		return err
	}
	o := run.Options()
	several := ""
	if o.Activities > 1 {
		several = fmt.Sprintf(" in %s activities", money.Count(int64(o.Activities)))
	}
	fmt.Fprintf(std.out, "%s packets, %s in all%s; %s users, %s workers, on %s\n",
		money.Count(int64(o.Packets)), money.Format(o.Total), several,
		money.Count(int64(o.Users)), money.Count(int64(o.Workers)), on.name)
	err = run.Open(std.interruptible)
	switch {
	case errors.Is(err, redpacket.ErrExists) && c.Dir != "":
		return fmt.Errorf("%s holds packets of a run with other flags", c.Dir)
	case errors.Is(err, redpacket.ErrExists):
		return err // somebody else's
	}
	defer on.clean(run)
	if err != nil {
		return err
	}
	if err := std.runWithProgress(run); err != nil {
		return err
	}
	run.Report().Print(std.out)
	if c.Expire {
		if err := run.Expire(std.interruptible); err != nil {
			return err
		}
	}
	findings, err := run.Audit(std.interruptible, on.exact)
	if err != nil {
		return err
	}
	if !grab.PrintAudit(std.out, findings) {
		return exitError(1)
	}
	return nil
}

// runWithProgress runs the workers, with a progress bar if standard error is a terminal.
func (std *streams) runWithProgress(run *grab.Run) error {
	if std.errTTY {
		defer run.ShowProgress(std.err)()
	}
	return run.Grab(std.interruptible)
}

// grabTarget is the engine or server on which a run takes place.
type grabTarget struct {
	client engine.Client
	name   string
	exact  bool // a call whose context has ended has certainly not been run
	close  func() error
	clean  func(*grab.Run)
}

// embedded returns an engine in this process, or several that share the slots.
func (c *grabCommand) embedded() (grabTarget, error) {
	p := grabTarget{name: "the embedded engine", exact: true, clean: func(*grab.Run) {}}
	switch {
	case c.Dir != "" && c.Shards != 1:
		return p, errors.New("--dir is for one engine")
	case c.Fsync != "" && c.Dir == "":
		return p, errors.New("--fsync needs --dir: without it there are no files")
	case c.Fsync == "":
		c.Fsync = "always"
	}
	if c.Shards == 1 {
		o := engine.Options{}
		if c.Dir != "" {
			o.Persistence = persist.New(persist.Options{Dir: c.Dir, AppendOnly: true, AppendFsync: c.Fsync})
			p.name += " with files in " + c.Dir
			p.exact = false // a call that the last run did not see answered may have been run
		}
		e, err := engine.New(o)
		if err != nil {
			return grabTarget{}, err
		}
		p.client, p.close = e, e.Close
		return p, nil
	}
	e, err := engine.NewCluster(c.Shards, engine.Options{})
	if err != nil {
		return grabTarget{}, err
	}
	p.client, p.close, p.name = e, e.Close, money.Count(int64(c.Shards))+" embedded engines"
	return p, nil
}

func (c *grabCommand) open(ctx context.Context) (grabTarget, error) {
	if c.Target == "" {
		return c.embedded()
	}
	if c.Dir != "" {
		return grabTarget{}, errors.New("--dir is for the embedded engine, not for a --target")
	}
	if c.Shards != 1 {
		return grabTarget{}, errors.New("--shards is for embedded engines, not for a --target")
	}
	u, err := url.Parse(c.Target)
	address := c.Target
	isRedis := err == nil && (strings.HasPrefix(u.Scheme, "redis") || u.Scheme == "unix")
	if isRedis && u.Host+u.Path != "" && !u.Query().Has("pool_size") {
		q := u.Query() // one connection for each worker
		q.Set("pool_size", strconv.Itoa(max(c.Workers, 1)))
		u.RawQuery = q.Encode()
		address = u.String()
	}
	goredis.LogTo(slog.New(slog.DiscardHandler)) // the errors of the run say enough
	rdb, err := goredis.Open(address)
	if err != nil {
		return grabTarget{}, err
	}
	u.User, u.RawQuery = nil, ""
	if err := rdb.Ping(ctx).Err(); err != nil {
		_ = rdb.Close() // it never worked
		return grabTarget{}, fmt.Errorf("--target %s does not answer: %w", u, err)
	}
	client := goredis.New(rdb)
	return grabTarget{client: client, name: u.String(), close: rdb.Close, clean: func(run *grab.Run) {
		for _, keys := range run.Keys() {
			_, _ = client.DoStrings(context.Background(), append([]string{"DEL"}, keys...)...) // nothing more can be done
		}
	}}, nil
}
