package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/recorder"
)

type recordCommand struct {
	Address string `arg:"" placeholder:"ADDRESS" help:"Server: redis://[user:password@]host[:port], rediss:// or unix://path."`

	Listen   string   `default:"127.0.0.1:6380" placeholder:"ADDR" help:"Where clients connect: host:port or path. Default ${default}."`
	Out      string   `default:"session.rec" placeholder:"FILE" help:"The recording to write; FILE.gz is compressed. Default ${default}."`
	Force    bool     `help:"Replace files that exist."`
	Copy     bool     `help:"Copy the keys of the server before, into FILE.rdb beside the recording."`
	Match    []string `sep:"none" placeholder:"PATTERN" help:"With --copy: only keys like user:*. May be repeated."`
	Scan     bool     `help:"With --copy: read the keys one by one, without asking the server for a copy."`
	MaxSize  byteSize `placeholder:"SIZE" help:"End the recording at this size, such as 500mb; clients are still served. Default: no limit."`
	MaxReply byteSize `placeholder:"SIZE" help:"Record only size and SHA256 of what a reply has beyond it. Default: all."`
}

// Help is the long text of "redmoon record --help".
func (recordCommand) Help() string {
	return `It stands between clients and a Redis server, passes every byte on unchanged, and writes commands,
replies and times to a file, until Ctrl-C. redmoon replay runs the file without the server; redmoon test --from
makes a test of it. docs/record.md describes the file.

  redmoon record redis://localhost:6379               clients use port 6380 meanwhile
  redmoon record --copy --out sale.rec localhost:6379 with the keys that the server has now

Passwords are not written: those of AUTH, HELLO, ACL SETUSER, MIGRATE and CONFIG, and replies that show them.
All other data that passes is written, so only the owner of the file may read it. The user and password of the
address are for the questions at the start, and for --copy; clients log in themselves.`
}

// byteSize is a number of bytes, such as 10mb.
type byteSize int64

// units are the units of sizes, as in redis.conf.
var units = []struct {
	suffix string
	bytes  int64
}{{"kb", 1 << 10}, {"mb", 1 << 20}, {"gb", 1 << 30}, {"k", 1000}, {"m", 1e6}, {"g", 1e9}, {"b", 1}}

// Decode implements kong.MapperValue.
func (s *byteSize) Decode(ctx *kong.DecodeContext) error {
	text := strings.ToLower(fmt.Sprint(ctx.Scan.Pop().Value))
	number, unit := text, int64(1)
	for _, u := range units {
		if n, ok := strings.CutSuffix(text, u.suffix); ok {
			number, unit = n, u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n <= 0 || n > 1<<50/unit {
		return fmt.Errorf("%q is not a size such as 500mb", text)
	}
	*s = byteSize(n * unit)
	return nil
}

func (c *recordCommand) Run(std *streams) error {
	if !c.Copy && (c.Scan || len(c.Match) > 0) {
		return errors.New("--match and --scan need --copy")
	}
	o := recorder.Options{
		Listen: c.Listen, Target: c.Address, Path: c.Out, Force: c.Force, MaxSize: int64(c.MaxSize), MaxReply: int64(c.MaxReply),
		WithData: c.Copy, Match: c.Match, Scan: c.Scan,
		Log: func(text string) { fmt.Fprintln(std.err, "redmoon: "+text) },
	}
	clear := func() {}
	if std.errTTY {
		bar := newLoadBar(std.err, recorder.DataPath(c.Out), time.Now)
		clear = bar.clear
		o.Progress = func(done, total int64) {
			bar.total = total
			bar.show(done)
		}
	}
	r, err := recorder.Start(std.interruptible, o)
	clear()
	if err != nil {
		return err
	}
	fmt.Fprintf(std.out, "recording to %s; clients connect to %s; Ctrl-C ends\n", c.Out, r.Addr())
	<-std.interruptible.Done()
	s, err := r.Stop()
	if err != nil {
		return fmt.Errorf("%s: %w", c.Out, err)
	}
	c.print(std, s)
	return nil
}

// print prints what has been recorded.
func (c *recordCommand) print(std *streams, s recorder.Summary) {
	fmt.Fprintf(std.out, "%s: %d commands on %d connections in %s, %d bytes\n",
		c.Out, s.Commands, s.Connections, s.Duration.Round(time.Millisecond), s.Bytes)
	note := func(n int64, text string) {
		if n > 0 {
			fmt.Fprintf(std.out, "note: %d %s\n", n, text)
		}
	}
	if s.Full {
		fmt.Fprintln(std.out, "note: the recording ended early because of --max-size")
	}
	note(s.Unanswered, "commands had no reply when their connection ended; a replay leaves them out")
	note(s.Unparsed, "connections are not recorded to their end")
	note(int64(len(s.Missing)), "scripts were called by SHA1 that were loaded before; replay needs --script FILE for each:")
	for _, sha := range s.Missing {
		fmt.Fprintln(std.out, "      "+sha)
	}
	if !c.Copy {
		fmt.Fprintln(std.out, "note: the keys that the server had at the start are not recorded; --copy copies them")
	}
	fmt.Fprintf(std.out, "next: redmoon replay %s\n", c.Out)
}
