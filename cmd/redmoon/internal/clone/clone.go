package clone

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/datastore/rdbfile"
	"github.com/redmoon-lua/redmoon/internal/base/glob"
	"github.com/redmoon-lua/redmoon/internal/base/rdbhead"
)

// Options say what is copied, and where to.
type Options struct {
	Address string      // as [backend.Connect] takes it; a database limits the copy to it
	TLS     *tls.Config // for rediss://; nil: the certificates of the machine
	Path    string      // of the file
	Force   bool        // replace the file if it exists
	Match   []string    // patterns of the keys to copy; none: all keys
	Scan    bool        // do not ask for a copy: read the keys
	// Progress is called with the number of bytes received and their total, 0 if that is not known.
	// Optional.
	Progress func(done, total int64)
	Now      func() time.Time
	Private  bool          // only the owner may read the file
	Silence  time.Duration // 0 means the constant Silence
}

// Result says what has been done.
type Result struct {
	Keys    int
	Bytes   int64  // size of the file
	Version int    // of its format
	Refusal string // why the keys were read one by one; "" if they were not, or if that was wanted
}

// Run makes the copy. After an error there is no new file.
func Run(ctx context.Context, o Options) (res Result, err error) {
	if _, err := os.Lstat(o.Path); err == nil && !o.Force {
		return res, fmt.Errorf("%s exists; --force replaces it", o.Path)
	}
	f, err := os.CreateTemp(filepath.Dir(o.Path), "."+filepath.Base(o.Path)+".*")
	if err != nil {
		return res, err
	}
	defer func() {
		_ = f.Close() // closed already unless there was an error
		_ = os.Remove(f.Name())
	}()
	err = errWanted
	if !o.Scan {
		err = o.receive(ctx, f)
	}
	var refused refusedError
	if errors.As(err, &refused) {
		if res.Refusal = string(refused); refused == errWanted {
			res.Refusal = ""
		}
		err = o.scan(ctx, f)
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = res.check(f)
	}
	if cerr := ctx.Err(); err != nil && cerr != nil {
		return res, cerr
	}
	if err != nil {
		return res, err
	}
	return res, o.publish(f)
}

// errWanted stands for the refusal of SYNC where Options.Scan is set.
const errWanted refusedError = "not asked"

// publish gives the file its name.
func (o *Options) publish(f *os.File) error {
	if err := f.Close(); err != nil {
		return err
	}
	mode := os.FileMode(0o644)
	if o.Private {
		mode = 0o600
	}
	if err := os.Chmod(f.Name(), mode); err != nil {
		return err
	}
	if o.Force {
		return os.Rename(f.Name(), o.Path)
	}
	err := os.Link(f.Name(), o.Path)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s exists; --force replaces it", o.Path)
	}
	if err != nil { // a file system without hard links
		return os.Rename(f.Name(), o.Path)
	}
	return nil
}

// check reads the file from beginning to end.
func (r *Result) check(f *os.File) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	info, keys := rdbfile.Keys(bufio.NewReaderSize(f, 1<<20), rdbfile.Reading{Version: datastore.AnyVersion}, nil)
	for k, err := range keys {
		if err == nil {
			_, err = k.Describe()
		}
		if err != nil {
			return fmt.Errorf("the copy is damaged: %w", err)
		}
		r.Keys++
	}
	r.Version = info.Version
	st, err := f.Stat()
	if err == nil {
		r.Bytes = st.Size()
	}
	return err
}

// receive writes the server's copy to f.
func (o *Options) receive(ctx context.Context, f *os.File) error {
	c, body, size, err := requestCopy(ctx, o)
	if err != nil {
		return err
	}
	defer c.close()
	body = &counter{r: body, total: size, progress: o.Progress}
	if len(o.Match) == 0 && !c.login.NamesDB {
		head := make([]byte, rdbhead.Size)
		n, err := io.ReadFull(body, head)
		if head = head[:n]; err != nil || !rdbhead.Begins(head, true) {
			if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				err = fmt.Errorf("the copy begins with %q, not with REDIS or VALKEY", head)
			}
			return err
		}
		if _, err := f.Write(head); err != nil {
			return err
		}
		_, err = io.Copy(f, body)
		return err
	}
	keep := newKept(c.login.DB)
	loaded, err := rdbfile.Load(body, keep.st, rdbfile.Loading{
		Reading: rdbfile.Reading{Version: datastore.AnyVersion}, KeepExpired: true,
		Filter: func(db int, key string) bool {
			return (!c.login.NamesDB || db == c.login.DB) && o.matches(key)
		},
		Function: func(text string) error { keep.functions = append(keep.functions, text); return nil },
	})
	if err != nil {
		return fmt.Errorf("the copy is damaged: %w", err)
	}
	keep.version, keep.redis, keep.valkey = loaded.Info.Version, loaded.RedisVersion, loaded.ValkeyVersion
	return keep.write(f, o)
}

// matches reports whether a key is to be copied.
func (o *Options) matches(key string) bool {
	for _, p := range o.Match {
		if glob.Match(p, key, false) {
			return true
		}
	}
	return len(o.Match) == 0
}

// counter reports how much has been read.
type counter struct {
	r           io.Reader
	done, total int64
	progress    func(done, total int64)
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.done += int64(n)
	if c.progress != nil {
		c.progress(c.done, c.total)
	}
	return n, err
}

// kept are the keys and functions that are written to a file.
type kept struct {
	st        *datastore.Store
	functions []string
	version   int
	redis     string // version of Redis
	valkey    string // version of Valkey
}

// maxDatabases is the number of databases that a file may use.
const maxDatabases = 1 << 14

func newKept(db int) *kept {
	return &kept{st: datastore.New(datastore.Options{Databases: max(maxDatabases, db+1), Limits: datastore.DefaultLimits()})}
}

// write writes them.
func (k *kept) write(f *os.File, o *Options) error {
	w := bufio.NewWriterSize(f, 1<<20)
	version := 0
	if k.version > datastore.DumpVersion {
		version = k.version
	}
	err := rdbfile.Write(w, k.st, rdbfile.Writing{
		RedisVersion: k.redis, ValkeyVersion: k.valkey, Created: o.Now(), Compress: true, Version: version, Functions: k.functions,
	})
	if err != nil {
		return err
	}
	return w.Flush()
}
