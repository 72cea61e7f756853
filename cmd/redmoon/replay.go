package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/recorder"
	"github.com/redmoon-lua/redmoon/internal/base/files"
	"github.com/redmoon-lua/redmoon/internal/tools/recording"
	"github.com/redmoon-lua/redmoon/internal/tools/replay"
)

// replayFlags are the flags of a replay, which `redmoon test --from` has too.
type replayFlags struct {
	Script []string `sep:"none" placeholder:"FILE" help:"Script that the server had loaded before the recording. May be repeated."`
	Rdb    string   `placeholder:"FILE" help:"RDB file with the keys at the start. Default: the copy that record --copy has made."`
}

type replayCommand struct {
	File string `arg:"" help:"Recording of redmoon record."`

	replayFlags
	Format string        `default:"text" enum:"text,json" placeholder:"FORM" help:"Form of the output: text or json."`
	Conn   []int64       `placeholder:"N" help:"Compare only replies of this connection. May be repeated."`
	From   time.Duration `placeholder:"TIME" help:"Compare only replies from this time of the recording on, such as 1m30s."`
	To     time.Duration `placeholder:"TIME" help:"End the replay at this time of the recording."`
	Max    int           `default:"20" placeholder:"N" help:"Number of differences to show. Default ${default}."`
	Server string        `aliases:"compat" placeholder:"NAME" help:"Server to follow, such as redis-8.0 or valkey-9.1. Default: as recorded."`
	Dump   string        `placeholder:"FILE" help:"Write the keys at the end into an RDB file."`
}

// Help is the long text of "redmoon replay --help".
func (replayCommand) Help() string {
	return `It runs a recording on an engine of its own, without a server, and reports replies that differ from the
recorded ones. The clock of the engine shows the times of the recording. docs/record.md says what is compared,
and what may differ.

  redmoon replay session.rec
  redmoon replay --format json session.rec
  redmoon replay --script claim.lua session.rec   a script that was loaded before

The exit code is 0 if nothing differs, 1 if something does, and 2 if the recording cannot be replayed to its end.`
}

func (c *replayCommand) Run(std *streams) error {
	differs, err := c.run(std)
	switch {
	case err != nil && std.interruptible.Err() != nil:
		return context.Canceled
	case err != nil:
		fmt.Fprintf(std.err, "redmoon: %v\n", err)
		return exitError(2)
	case differs:
		return exitError(1)
	}
	return nil
}

// run reports whether a reply differs.
func (c *replayCommand) run(std *streams) (differs bool, err error) {
	if c.Max < 1 || c.From < 0 || c.To < 0 {
		return false, errors.New("--max must be positive, --from and --to must not be negative")
	}
	o := replay.Options{Server: c.Server, Connections: c.Conn, From: c.From, To: c.To, MaxDifferences: c.Max}
	var dump bytes.Buffer
	if c.Dump != "" {
		o.Dump = &dump
	}
	if err := c.mayDump(); err != nil {
		return false, err
	}
	rep, err := c.replay(std.interruptible, c.File, o)
	if err == nil && c.Dump != "" {
		err = files.Replace(c.Dump, dump.String())
	}
	if err != nil {
		return false, err
	}
	if c.Format == "json" {
		err = printReplayJSON(std.out, rep)
	} else {
		printReplay(std.out, c.File, rep)
	}
	if err == nil && rep.Damage != "" && rep.Count() == 0 {
		err = fmt.Errorf("%s: %s", c.File, rep.Damage)
	}
	return rep.Count() > 0, err
}

// mayDump refuses to replace the recording, or the keys at its start.
func (c *replayCommand) mayDump() error {
	if c.Dump == "" {
		return nil
	}
	used := append([]string{c.File, recorder.DataPath(c.File), c.Rdb}, c.Script...)
	for _, path := range used {
		a, err1 := os.Stat(path)
		b, err2 := os.Stat(c.Dump)
		if err1 == nil && err2 == nil && os.SameFile(a, b) {
			return fmt.Errorf("--dump would replace %s, which the replay reads", path)
		}
	}
	return nil
}

// replay replays a recording with the flags.
func (f *replayFlags) replay(ctx context.Context, path string, o replay.Options) (*replay.Report, error) {
	src, err := recording.OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	if o, err = f.replayOptions(path, src, o); err != nil {
		return nil, err
	}
	return replay.Run(ctx, src, o)
}

// replayOptions adds the keys and the scripts at the start to o.
func (f *replayFlags) replayOptions(path string, src *recording.Reader, o replay.Options) (_ replay.Options, err error) {
	if o.Data, err = f.data(path, src.Header.Data); err != nil {
		return o, err
	}
	for _, file := range f.Script {
		text, err := os.ReadFile(file)
		if err != nil {
			return o, err
		}
		o.Scripts = append(o.Scripts, string(text))
	}
	return o, nil
}

// data returns the path of the file with the keys at the start, or "".
func (f *replayFlags) data(path string, d *recording.Data) (string, error) {
	if f.Rdb != "" || d == nil {
		return f.Rdb, nil
	}
	if d.File != filepath.Base(d.File) || !filepath.IsLocal(d.File) {
		return "", fmt.Errorf("%s: the copy of the keys must be in the same folder, not %q", path, d.File)
	}
	file := filepath.Join(filepath.Dir(path), d.File)
	sum, err := sha256Of(file)
	switch {
	case err != nil:
		return "", fmt.Errorf("the copy of the keys at the start: %w; --rdb names another one", err)
	case sum != d.SHA256:
		return "", fmt.Errorf("%s is not the copy that belongs to %s; --rdb uses it nevertheless", file, path)
	}
	return file, nil
}

func sha256Of(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
