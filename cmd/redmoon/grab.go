package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strconv"
	"time"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/grab"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/goredis"
	"github.com/redmoon-lua/redmoon/internal/money"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

type grabCommand struct {
	Packets    int           `default:"100000" help:"How many red packets there are. Default ${default}."`
	Workers    int           `default:"20" help:"How many workers grab at once. Default ${default}."`
	Total      string        `default:"1000000.00" placeholder:"AMOUNT" help:"What is in all packets together. Default ${default}."`
	Equal      bool          `help:"Put the same into all packets. Without it amounts are random."`
	Users      int           `placeholder:"N" help:"How many users come. Default a tenth more than packets."`
	Activities int           `default:"1" help:"How many activities share the packets and the users, and so how many slots of a cluster. Default ${default}."`
	Shards     int           `default:"1" help:"How many embedded engines share the slots. Default ${default}."`
	Target     string        `placeholder:"URL" help:"Run it on a real server instead of the embedded engine: redis://[[user]:password@]host[:port][/db], rediss://, unix://, redis+cluster://host:port[?addr=host:port], redis+sentinel://host:port?master_name=name."`
	Cancel     bool          `help:"Let workers give up calls at random moments and try again."`
	Patience   time.Duration `default:"30s" help:"How long a user comes again when calls to the target fail. Default ${default}."`
	Expire     bool          `help:"Close the activities afterwards, so that what is left goes back to the sender."`
}

// Help is the long text of "redmoon grab --help".
func (grabCommand) Help() string {
	return `Every user may grab one packet, by one call of the script of scripts/redpacket. More users come than there are packets, and one in nineteen comes twice. Afterwards the records are audited: no user twice, no packet twice, the money adds up to the cent, none is left, every grab is on the settlement stream, and users were told what is stored. The exit code is 1 when they are not.

On a server, the keys are named redpacket:{redmoon-grab-...} and deleted at the end.`
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
	run, err := grab.New(on.client, grab.Options{
		Patience: patience,
		Activity: fmt.Sprintf("redmoon-grab-%08x", rand.Uint32()), Activities: c.Activities,
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
	fmt.Fprintf(std.out, "%s packets, %s in all%s; %s users, %s workers, on %s\n", money.Count(int64(o.Packets)), money.Format(o.Total), several,
		money.Count(int64(o.Users)), money.Count(int64(o.Workers)), on.name)
	err = run.Open(std.interruptible)
	if errors.Is(err, redpacket.ErrExists) {
		return err // somebody else's
	}
	defer on.clean(run)
	if err != nil {
		return err
	}
	if err := std.watch(run); err != nil {
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

// watch runs the workers, with a progress bar where somebody can see it.
func (std *streams) watch(run *grab.Run) error {
	if std.errTTY {
		defer run.ShowProgress(std.err)()
	}
	return run.Grab(std.interruptible)
}

// place is where a run takes place.
type place struct {
	client engine.Client
	name   string
	exact  bool // a call that was given up has certainly not been run
	close  func() error
	clean  func(*grab.Run)
}

// embedded is an engine in this process, or several.
func (c *grabCommand) embedded() (place, error) {
	p := place{name: "the embedded engine", exact: true, clean: func(*grab.Run) {}}
	if c.Shards == 1 {
		e, err := engine.New(engine.Options{})
		if err != nil {
			return place{}, err
		}
		p.client, p.close = e, e.Close
		return p, nil
	}
	e, err := engine.NewCluster(c.Shards, engine.Options{})
	if err != nil {
		return place{}, err
	}
	p.client, p.close, p.name = e, e.Close, money.Count(int64(c.Shards))+" embedded engines"
	return p, nil
}

func (c *grabCommand) open(ctx context.Context) (place, error) {
	if c.Target == "" {
		return c.embedded()
	}
	if c.Shards != 1 {
		return place{}, errors.New("--shards is for embedded engines, not for a --target")
	}
	u, err := url.Parse(c.Target)
	address := c.Target
	if err == nil && u.Host+u.Path != "" && !u.Query().Has("pool_size") {
		q := u.Query() // a connection for each worker
		q.Set("pool_size", strconv.Itoa(max(c.Workers, 1)))
		u.RawQuery = q.Encode()
		address = u.String()
	}
	rdb, err := goredis.Open(address)
	if err != nil {
		return place{}, err
	}
	if err := rdb.Ping(ctx).Err(); err != nil {
		_ = rdb.Close() // it never worked
		return place{}, err
	}
	u.User, u.RawQuery = nil, ""
	client := goredis.New(rdb)
	return place{client: client, name: u.String(), close: rdb.Close, clean: func(run *grab.Run) {
		for _, keys := range run.Keys() {
			_, _ = client.DoStrings(context.Background(), append([]string{"DEL"}, keys...)...) // nothing more can be done
		}
	}}, nil
}
