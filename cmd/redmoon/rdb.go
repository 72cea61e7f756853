package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/engine"
)

// rdbFlags are the flags of the commands that begin with the keys of an RDB file.
type rdbFlags struct {
	RDB      string   `name:"rdb" placeholder:"FILE" help:"Begin with the keys and functions of an RDB file, such as dump.rdb."`
	RDBMatch []string `name:"rdb-match" sep:"none" placeholder:"PATTERN" help:"Load only keys like user:* from --rdb. May be repeated."`
}

// load loads the file into e, if there is one.
func (f *rdbFlags) load(ctx context.Context, std *streams, e *engine.Engine) error {
	if f.RDB == "" {
		if len(f.RDBMatch) > 0 {
			return errors.New("--rdb-match needs --rdb")
		}
		return nil
	}
	o := engine.LoadOptions{Match: f.RDBMatch}
	if std.errTTY {
		bar := newLoadBar(std.err, f.RDB, time.Now)
		defer bar.clear()
		o.Progress = bar.show
	}
	_, err := e.LoadRDBFile(ctx, f.RDB, o)
	if errors.Is(err, datastore.ErrFileVersion) {
		return fmt.Errorf("%w: a later Redis has written it; follow that one with --server", err)
	}
	return err
}

// The load bar appears when a load has taken loadBarAfter, and is drawn again after loadBarEvery.
const (
	loadBarAfter = time.Second
	loadBarEvery = 100 * time.Millisecond
	loadBarWidth = 30 // characters
)

// loadBar shows on a terminal how much of a file has been loaded.
type loadBar struct {
	w     io.Writer
	name  string
	total int64 // bytes of the file; 0: not known
	now   func() time.Time
	next  time.Time // when to draw
	drawn bool
}

func newLoadBar(w io.Writer, path string, now func() time.Time) *loadBar {
	b := &loadBar{w: w, name: filepath.Base(path), now: now, next: now().Add(loadBarAfter)}
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		b.total = info.Size()
	}
	return b
}

// show is called with the number of bytes that have been read.
func (b *loadBar) show(read int64) {
	now := b.now()
	if now.Before(b.next) {
		return
	}
	b.next, b.drawn = now.Add(loadBarEvery), true
	if b.total == 0 {
		fmt.Fprintf(b.w, "\r%s: %d MB\x1b[K", b.name, read/1e6)
		return
	}
	part := min(float64(read)/float64(b.total), 1)
	full := int(part * loadBarWidth)
	fmt.Fprintf(b.w, "\r%s: [%s%s] %3.0f%% of %d MB\x1b[K", b.name,
		strings.Repeat("#", full), strings.Repeat(".", loadBarWidth-full), 100*part, b.total/1e6)
}

// clear removes the bar from the terminal.
func (b *loadBar) clear() {
	if b.drawn {
		fmt.Fprint(b.w, "\r\x1b[K")
	}
}
