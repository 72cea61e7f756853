package main

import (
	"fmt"
	"time"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/clone"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

type cloneCommand struct {
	Address string   `arg:"" placeholder:"ADDRESS" help:"Server: redis://[user:password@]host[:port][/db], rediss:// or unix://path."`
	Out     string   `default:"dump.rdb" placeholder:"FILE" help:"The file to write. Default ${default}."`
	Force   bool     `help:"Replace the file if it exists."`
	Match   []string `sep:"none" placeholder:"PATTERN" help:"Copy only keys like user:*. May be repeated."`
	Scan    bool     `help:"Read the keys one by one, without asking the server for a copy."`
}

// Help is the long text of "redmoon clone --help".
func (cloneCommand) Help() string {
	return `Copies the data of a running Redis server into an RDB file, for work without the server. The server
makes the copy as for a replica, and is left alone when the copy is there. Nothing is written to it. If it
refuses to make a copy, as managed services do, the keys are read by SCAN and DUMP; this takes longer, needs
memory for all keys, and keys that change meanwhile are copied as they were at some time.

A database in the address limits the copy to it. With --match or a database the server still sends all keys;
the others are dropped on arrival, and the wanted ones must fit in memory.`
}

func (c *cloneCommand) Run(std *streams) error {
	o := clone.Options{Address: c.Address, Path: c.Out, Force: c.Force, Match: c.Match, Scan: c.Scan, Now: time.Now}
	clear := func() {}
	if std.errTTY {
		bar := newLoadBar(std.err, c.Out, time.Now)
		clear = bar.clear
		o.Progress = func(done, total int64) {
			bar.total = total
			bar.show(done)
		}
	}
	res, err := clone.Run(std.interruptible, o)
	clear()
	if err != nil {
		return err
	}
	if res.Refusal != "" {
		fmt.Fprintf(std.err, "redmoon: the server gives no copy (%s); its keys were read one by one\n", res.Refusal)
	}
	if res.Keys == 0 {
		fmt.Fprintln(std.err, "redmoon: warning: the copy has no keys; is it the right server, database and --match?")
	}
	server := ""
	if s, ok := servers.ReaderOf(res.Version); ok && s != servers.Redis70 {
		server = " --server " + s.String()
	}
	fmt.Fprintf(std.out, "%s: %d keys, %d bytes\nnext: redmoon repl%s --rdb %s\n", c.Out, res.Keys, res.Bytes, server, c.Out)
	return nil
}
