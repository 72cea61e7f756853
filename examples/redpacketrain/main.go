// Redpacketrain is a red packet rain from the first packet to the last cent in the database: it
// prepares activities, lets workers grab, settles in batches into SQLite or PostgreSQL, gives back
// what is left, and audits both sides. See README.md.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	"golang.org/x/term"

	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/crew"
)

const description = `A red packet rain from the first packet to the last cent in the database.

Workers grab packets by one script a grab, which also puts a record on a stream in the same atomic step. Consumers settle the records in batches, each in one transaction of a database. Afterwards what is left goes back to the sender, and an audit joins Redis with the database. The exit code is 1 when it finds anything.`

func main() {
	if crew.IsChild() {
		os.Exit(crew.Child())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process immediately
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr, term.IsTerminal(int(os.Stderr.Fd()))))
}

// run is the program. It returns the exit code: 0, 1 when the run or its audit failed, 2 when args
// make no sense, 130 after Ctrl-C. tty says that stderr is a terminal.
func run(ctx context.Context, args []string, stdout, stderr io.Writer, tty bool) int {
	var o options
	done := -1
	parser := kong.Must(&o, kong.Name("redpacketrain"), kong.Description(description), kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { done = code }), kong.ConfigureHelp(kong.HelpOptions{WrapUpperBound: 100}))
	_, err := parser.Parse(args)
	if done >= 0 {
		return done
	}
	if err == nil {
		err = o.check()
	}
	if err != nil {
		fmt.Fprintf(stderr, "redpacketrain: %v\n", err)
		return 2
	}
	o.stdout, o.stderr, o.tty = stdout, stderr, tty
	err = o.run(ctx)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		fmt.Fprintln(stderr, "redpacketrain: interrupted")
		return 130
	case !errors.Is(err, errAudit): // that has been printed
		fmt.Fprintf(stderr, "redpacketrain: %v\n", err)
	}
	return 1
}

// errAudit says that the audit has found something.
var errAudit = errors.New("the audit has failed")

// options are the flags.
type options struct {
	Packets    int           `default:"100000" help:"How many red packets there are. Default ${default}."`
	Total      string        `default:"1000000.00" placeholder:"AMOUNT" help:"What is in all packets together. Default ${default}."`
	Users      int           `placeholder:"N" help:"How many users come. Default: 98 % of the packets, so some are left."`
	Workers    int           `default:"20" help:"How many workers grab at once. Default ${default}."`
	Activities int           `default:"1" help:"How many activities, each in a slot of its own, share the packets. Default ${default}."`
	Over       time.Duration `placeholder:"DURATION" help:"The users come within this time, such as 20s. Default: as fast as possible."`
	Target     string        `placeholder:"URL" help:"Where the packets are: a URL of package goredis. Default: an engine in this process."`
	Shards     int           `default:"1" help:"How many engines in this process share the slots. Default ${default}."`
	Dir        string        `placeholder:"DIR" help:"Keep the packets in files there. A later run goes on."`
	DB         string        `name:"db" placeholder:"FILE" xor:"ledger" help:"SQLite file to settle in. Default: in --dir, or temporary."`
	DSN        string        `name:"dsn" placeholder:"URL" xor:"ledger" help:"PostgreSQL database to settle in, as a URL."`
	Consumers  int           `default:"1" help:"How many consumers settle each activity. Default ${default}."`
	Batch      int           `default:"500" help:"The most records in a transaction, up to 1000. Default ${default}."`
	Kill       int           `placeholder:"N" help:"Faults: let consumers be processes, and kill them N times at random moments."`
	Listen     string        `placeholder:"ADDR" help:"Serve a live page, such as 127.0.0.1:8080, until Ctrl-C."`

	stdout, stderr io.Writer
	tty            bool
}

func (o *options) check() error {
	switch {
	case o.Consumers < 1 || o.Shards < 1:
		return errors.New("there must be at least one consumer and one engine")
	case o.Batch < 1 || o.Batch > 1000:
		return errors.New("a batch holds 1 to 1000 records")
	case o.Kill < 0 || o.Over < 0:
		return errors.New("--kill and --over cannot be negative")
	case o.Shards > 1 && (o.Target != "" || o.Kill > 0):
		return errors.New("--shards is for engines in this process, and with neither --target nor --kill")
	case o.Dir != "" && (o.Shards > 1 || o.Target != ""):
		return errors.New("--dir is for one engine in this process")
	}
	return nil
}
