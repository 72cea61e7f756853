package main

import (
	"errors"
	"fmt"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/tools/versions"
)

type versionsCommand struct {
	From string `arg:"" optional:"" help:"Server that the scripts run on now, such as redis-7.0."`
	To   string `arg:"" optional:"" help:"Server that they move to, such as valkey-9.1."`
}

// Help is the long text of "redmoon versions --help".
func (versionsCommand) Help() string {
	return `It shows what the author of a script meets on another server: rules of scripts, commands and options that
are new or gone, replies, error texts and the configuration. Without servers it lists those that Redmoon
follows. "redmoon test --server A,B" runs tests on both. docs/versions.md has the steps from each version to
the next.`
}

func (c *versionsCommand) Run(std *streams) error {
	if c.From == "" {
		for _, s := range servers.All() {
			fmt.Fprintf(std.out, "%-10s  %s %s\n", s, s.Kind(), s.Release())
		}
		return nil
	}
	if c.To == "" {
		return errors.New("versions needs two servers: redmoon versions redis-7.0 valkey-9.1")
	}
	var both [2]servers.Server
	for i, name := range []string{c.From, c.To} {
		var ok bool
		if both[i], ok = servers.Parse(name); !ok {
			return fmt.Errorf("%q is not one of %s", name, servers.Names())
		}
	}
	fmt.Fprint(std.out, versions.Text(versions.Compare(both[0], both[1]), max(40, min(std.columns()-1, 110))))
	return nil
}
