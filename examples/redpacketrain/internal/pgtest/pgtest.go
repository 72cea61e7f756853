//go:build unix

// Package pgtest runs a PostgreSQL server for tests, in a temporary folder, reached by a unix
// socket there. It never outlives the test program that started it, however that ends.
package pgtest

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/stretchr/testify/require"
)

// leashed is a program of sh that runs its arguments for as long as standard input stays open. $0
// is the folder, which goes too.
const leashed = `"$@" >"$0/log" 2>&1 & pid=$!; cat >/dev/null; kill -INT $pid; wait $pid; rm -rf "$0"`

var errAbsent = errors.New("no PostgreSQL server on the PATH or in /usr/lib/postgresql")

// databases counts those of the server, which no other test program uses.
var databases atomic.Int64

// server is the server of the whole test program.
var server = sync.OnceValues(start)

type process struct {
	folder string
	leash  io.Closer // kept: the server ends when this is closed, by us or by our end
}

// Database is the URL of an empty database of its own. The test is skipped where no PostgreSQL
// server is installed; in continuous integration (CI is "true") it fails.
func Database(t testing.TB) string {
	t.Helper()
	p, err := server()
	if errors.Is(err, errAbsent) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	require.NoError(t, err)
	name := fmt.Sprint("rain", databases.Add(1))
	db, err := sql.Open("pgx", p.url("postgres"))
	require.NoError(t, err)
	defer db.Close()
	_, err = db.Exec("CREATE DATABASE " + name)
	require.NoError(t, err)
	return p.url(name)
}

func (p *process) url(database string) string {
	return "postgres:///" + database + "?" + url.Values{"host": {p.folder}, "user": {"postgres"}}.Encode()
}

func start() (*process, error) {
	bin, err := find()
	if err != nil {
		return nil, err
	}
	p := &process{}
	if p.folder, err = os.MkdirTemp("", "pg"); err != nil {
		return nil, err
	}
	as, err := p.owner()
	if err != nil {
		return nil, err
	}
	data := filepath.Join(p.folder, "data")
	initdb := exec.Command(filepath.Join(bin, "initdb"), "-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync")
	initdb.SysProcAttr, initdb.Dir = as, p.folder
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	run := exec.Command("sh", "-c", leashed, p.folder, filepath.Join(bin, "postgres"), "-D", data, "-k", p.folder, "-c", "listen_addresses=",
		"-c", "fsync=off")
	run.SysProcAttr, run.Dir = as, p.folder
	if p.leash, err = run.StdinPipe(); err != nil {
		return nil, err
	}
	if err := run.Start(); err != nil {
		return nil, err
	}
	return p, p.await()
}

// find is the folder of the server's programs: Debian keeps them off the PATH.
func find() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path), nil
	}
	if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb"); len(found) > 0 {
		return filepath.Dir(found[len(found)-1]), nil
	}
	return "", errAbsent
}

// owner gives the folder to the user that the server is to run as: ourselves, but not root, which
// PostgreSQL refuses.
func (p *process) owner() (*syscall.SysProcAttr, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errAbsent, err)
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return nil, err
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, os.Chown(p.folder, uid, gid)
}

func (p *process) await() error {
	db, err := sql.Open("pgx", p.url("postgres"))
	if err != nil {
		return err
	}
	defer db.Close()
	if err := patience.Try(db.Ping); err != nil {
		log, _ := os.ReadFile(filepath.Join(p.folder, "log"))
		return fmt.Errorf("the PostgreSQL server does not come up: %w: %s", err, log)
	}
	return nil
}
