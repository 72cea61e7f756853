package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/inspectfile"
	"github.com/redmoon-lua/redmoon/internal/base/glob"
	"golang.org/x/term"
)

type inspectCommand struct {
	File string `arg:"" help:"RDB file, append-only file, manifest, or directory with a manifest (appendonlydir)."`

	Top   int       `default:"20" placeholder:"N" help:"Longest list of keys and prefixes, 0 to 10000. Default ${default}."`
	Match string    `placeholder:"PATTERN" help:"Only keys that match a pattern, as KEYS has it."`
	JSON  bool      `name:"json" help:"Print JSON."`
	HTML  string    `name:"html" placeholder:"FILE" xor:"form" help:"Write a page with a map of the prefixes, too."`
	Diff  string    `placeholder:"OTHER" xor:"form" help:"Show what changed from FILE to OTHER. Both are RDB files."`
	At    time.Time `placeholder:"TIME" help:"Count the time to an expiry from TIME, such as 2026-01-02T15:04:05Z. Default: now."`
}

// Help is the long text of "redmoon inspect --help".
func (inspectCommand) Help() string {
	return `It shows keys and bytes by type, encoding, database and prefix, the biggest keys, what expires soon,
and for append-only files the commands and the keys that are written most. A damaged file is shown up to
the damage.

The exit code is 0, 1 if a file is damaged, or 2 if there is nothing to inspect. Differences that --diff
finds do not change it.`
}

func (c *inspectCommand) Run(std *streams) error {
	err := c.run(std)
	var exit exitError
	if err == nil || errors.As(err, &exit) || errors.Is(err, context.Canceled) {
		return err
	}
	fmt.Fprintf(std.err, "redmoon: %v\n", err)
	return exitError(2)
}

func (c *inspectCommand) run(std *streams) error {
	if c.Top < 0 || c.Top > 10000 {
		return errors.New("--top is between 0 and 10000")
	}
	o := inspectfile.Options{Top: c.Top, Now: c.At}
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	if c.Match != "" && c.Match != "*" {
		o.Match = func(key string) bool { return glob.Match(c.Match, key, false) }
	}
	if c.Diff != "" {
		d, err := inspectfile.Compare(std.interruptible, c.File, c.Diff, o)
		if err != nil {
			return err
		}
		return c.print(std, d, func(w io.Writer, s inspectfile.Style) error { return d.Print(w, s, o.Now) }, d.Damage)
	}
	if c.HTML != "" {
		if err := mayReplace(c.HTML); err != nil {
			return err
		}
	}
	r, err := inspectfile.Inspect(std.interruptible, c.File, o)
	if err != nil {
		return err
	}
	if c.HTML != "" {
		var b bytes.Buffer
		if err := r.PrintHTML(&b); err != nil {
			return err
		}
		if err := os.WriteFile(c.HTML, b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return c.print(std, r, r.Print, r.Damage)
}

// print prints a report or a difference, and reports damage by the exit code.
func (c *inspectCommand) print(
	std *streams, v any, table func(io.Writer, inspectfile.Style) error, damage []inspectfile.Damage,
) error {
	var err error
	if c.JSON {
		err = inspectfile.PrintJSON(std.out, v)
	} else {
		err = table(std.out, std.inspectStyle())
	}
	if err != nil || len(damage) == 0 {
		return err
	}
	for _, d := range damage {
		fmt.Fprintf(std.err, "redmoon: %s: %s at offset %d: %s\n",
			inspectfile.SafeText(d.Path), d.Kind, d.Offset, inspectfile.SafeText(d.Message))
	}
	return exitError(1)
}

func (std *streams) inspectStyle() inspectfile.Style {
	var s inspectfile.Style
	if f, ok := std.out.(*os.File); ok && std.outTTY {
		_, plain := os.LookupEnv("NO_COLOR")
		s.Colour = !plain
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			s.Width = width
		}
	}
	return s
}

// pageStart is how the pages of --html begin.
const pageStart = "<!DOCTYPE html>"

// mayReplace refuses to replace a file that is not a page, such as the file to inspect.
func mayReplace(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, len(pageStart))
	n, err := io.ReadFull(f, head)
	if n == 0 && errors.Is(err, io.EOF) || string(head) == pageStart {
		return nil
	}
	return fmt.Errorf("--html: %s exists and is not a page; it is not replaced", path)
}
