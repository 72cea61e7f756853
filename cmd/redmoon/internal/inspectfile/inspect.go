package inspectfile

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/redmoon-lua/redmoon/persist/aoffile"
)

// Inspect reads the file at path, or the directory of a multi-part append-only file. Damage is in
// the report and is not an error. The error is about path: it does not exist, it is not a regular
// file, or ctx has ended.
func Inspect(ctx context.Context, path string, o Options) (*Report, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		if path, err = manifestIn(path); err != nil {
			return nil, err
		}
	}
	c := &collector{ctx: ctx, o: o, report: &Report{Schema: Schema, Path: path, At: o.Now, Files: []File{}, Damage: []Damage{}}}
	if strings.HasSuffix(path, ".manifest") {
		err = c.manifest(path)
	} else {
		err = c.file(File{Path: path})
		if len(c.report.Files) > 0 {
			c.report.Format = c.report.Files[0].Format
		}
	}
	if err != nil {
		return nil, err
	}
	c.finish()
	return c.report, nil
}

// manifestIn returns the path of the only manifest in a directory.
func manifestIn(dir string) (string, error) {
	found, err := filepath.Glob(filepath.Join(escapeGlob(dir), "*.manifest"))
	if err != nil {
		return "", err
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("%s: there is no manifest of an append-only file in this directory", dir)
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%s: there are %d manifests in this directory; name one of them", dir, len(found))
}

var globMeta = strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`)

func escapeGlob(dir string) string { return globMeta.Replace(dir) }

// collector fills a report.
type collector struct {
	ctx    context.Context
	o      Options
	report *Report
	keys   *keyspaceStats // nil before the first RDB file
	cmds   *commandStats  // nil before the first append-only file
}

func (c *collector) manifest(path string) error {
	files, err := aoffile.Manifest(path)
	c.report.Format = Manifest
	if errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err != nil {
		c.damage(Damage{Path: path, Kind: Corrupt, Message: err.Error()})
		return nil
	}
	for _, f := range files {
		file := File{Path: filepath.Join(filepath.Dir(path), f.Name), Role: string(f.Role), Seq: f.Seq}
		if f.Role == aoffile.History { // superseded: not a part of the data, and maybe removed already
			if info, err := os.Stat(file.Path); err == nil {
				file.Size, file.Format = info.Size(), AOF
				c.report.Files = append(c.report.Files, file)
			}
			continue
		}
		if err := c.file(file); err != nil {
			if c.ctx.Err() != nil {
				return err
			}
			c.report.Files = append(c.report.Files, file)
			c.damage(Damage{Path: file.Path, Kind: Unreadable, Message: err.Error()})
		}
	}
	return nil
}

func (c *collector) damage(d Damage) { c.report.Damage = append(c.report.Damage, d) }

func openRegular(path string) (*os.File, int64, error) {
	info, err := os.Stat(path) // before Open, which waits for the writer of a pipe
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("%s: not a regular file", path)
	}
	f, err := os.Open(path)
	return f, info.Size(), err
}

// file collects one file.
func (c *collector) file(file File) error {
	f, size, err := openRegular(file.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	file.Size = size
	c.report.Size += size
	r := bufio.NewReaderSize(reader{c.ctx, f}, 64<<10)
	rdb, err := aoffile.IsRDB(r)
	head, _ := r.Peek(1)
	switch {
	case err != nil:
		file.Format = AOF
		c.damage(Damage{Path: file.Path, Kind: Unreadable, Message: err.Error()})
	case rdb:
		file.Format = RDB
		c.rdb(&file, r)
	case len(head) == 0 && (file.Role != "" || strings.HasSuffix(file.Path, ".aof")) || len(head) > 0 && (head[0] == '*' || head[0] == '#'):
		file.Format = AOF
		c.aof(&file, r, 0)
	default:
		c.damage(Damage{Path: file.Path, Kind: Corrupt, Message: notOurs(r)})
	}
	c.report.Files = append(c.report.Files, file)
	return c.ctx.Err()
}

// notOurs says what is wrong with a file whose beginning is unknown.
func notOurs(r *bufio.Reader) string {
	head, _ := r.Peek(9)
	if len(head) == 0 {
		return "the file is empty"
	}
	return fmt.Sprintf("the file begins with %q: neither an RDB file nor an append-only file does", head)
}

func (c *collector) finish() {
	r := c.report
	if c.keys != nil {
		r.Keyspace = c.keys.report(c.o)
	}
	if c.cmds != nil {
		r.Commands = c.cmds.report(c.o)
	}
}

// reader is a file that ends with an error when ctx ends.
type reader struct {
	ctx context.Context
	r   io.Reader
}

func (r reader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(b)
}
