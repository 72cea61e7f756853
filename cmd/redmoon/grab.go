package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/client"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/grab"
	"github.com/redmoon-lua/redmoon/engine"
)

type grabCommand struct {
	Packets int    `default:"100000" help:"How many red packets there are. Default ${default}."`
	Workers int    `default:"20" help:"How many workers grab at once. Default ${default}."`
	Total   string `default:"1000000.00" placeholder:"AMOUNT" help:"What is in all packets together. Default ${default}."`
	Users   int    `placeholder:"N" help:"How many users come. Default a tenth more than packets."`
	Target  string `placeholder:"redis://HOST:PORT" help:"Run it on a real server instead of the embedded engine: redis://[[user]:password@]host[:port][/db]."`
	Cancel  bool   `help:"Let workers give up calls at random moments and try again."`
}

// Help is the long text of "redmoon grab --help".
func (grabCommand) Help() string {
	return `Every user may grab one packet, by one call of the script of scripts/redpacket. More users come than there are packets, and one in nineteen comes twice. Afterwards the records are audited: no user twice, no packet twice, the money adds up to the cent, none is left, and users were told what is stored. The exit code is 1 when they are not.

On a server, the keys are named redpacket:{redmoon-grab-...} and deleted at the end.`
}

func (c *grabCommand) Run(std *streams) error {
	total, err := grab.ParseMoney(c.Total)
	if err != nil {
		return err
	}
	on, err := c.open(std.interruptible)
	if err != nil {
		return err
	}
	defer on.close()
	run, err := grab.New(on.runner, grab.Options{
		Activity: fmt.Sprintf("redmoon-grab-%08x", rand.Uint32()),
		Packets:  c.Packets, Workers: c.Workers, Total: total, Users: c.Users, Cancel: c.Cancel,
	})
	if err != nil {
		return err
	}
	o := run.Options()
	fmt.Fprintf(std.out, "%s packets, %s in all; %s users, %s workers, on %s\n", grab.Count(int64(o.Packets)), grab.Money(o.Total),
		grab.Count(int64(o.Users)), grab.Count(int64(o.Workers)), on.name)
	if err := run.Open(std.interruptible); err != nil {
		return err
	}
	defer on.clean(run.Keys())
	if err := std.watch(run); err != nil {
		return err
	}
	run.Report().Print(std.out)
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
	runner engine.Runner
	name   string
	exact  bool // a call that was given up has certainly not been run
	close  func() error
	clean  func(keys []string)
}

func (c *grabCommand) open(ctx context.Context) (place, error) {
	if c.Target == "" {
		e, err := engine.New(engine.Options{})
		if err != nil {
			return place{}, err
		}
		return place{runner: e, name: "the embedded engine", exact: true, close: e.Close, clean: func([]string) {}}, nil
	}
	cl, err := client.New(ctx, c.Target, c.Workers)
	if err != nil {
		return place{}, err
	}
	return place{runner: cl, name: cl.Addr(), close: cl.Close, clean: func(keys []string) {
		_, _ = cl.Do(context.Background(), append([]string{"DEL"}, keys...)...) // nothing more can be done
	}}, nil
}
