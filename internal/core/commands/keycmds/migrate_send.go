package keycmds

import (
	"bufio"
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/migrate"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// The replies of MIGRATE if the target cannot be reached or does not answer.
const (
	errMigrateConnect = "IOERR error or timeout connecting to the client"
	errMigrateWrite   = "IOERR error or timeout writing to target instance"
	errMigrateRead    = "IOERR error or timeout reading to target instance"
)

// migrated is what MIGRATE has done.
type migrated struct {
	gone  []string // keys that the target has confirmed and that must be deleted here
	reply reply.Value
	heard bool // the target has answered a RESTORE
}

// delivery sends the keys of a MIGRATE. It has all that it needs from the keyspace, so that it may
// run while the loop serves others.
type delivery struct {
	*migration
	sockets *migrate.Sockets
	dumps   []dumped
	command string       // RESTORE, or RESTORE-ASKING
	began   int64        // ms since the epoch
	millis  func() int64 // since began
}

// dumped is a key to send.
type dumped struct {
	key, dump string
	expireAt  int64 // ms since the epoch; 0: never
}

// run sends the keys. A script waits for it aside.
func (m *migration) run(c *server.Ctx) any {
	d := &delivery{migration: m, sockets: c.Server.MigrateSockets, command: "RESTORE", began: c.Now(), millis: c.Server.Stopwatch()}
	if c.Server.Cluster != nil {
		d.command = "RESTORE-ASKING"
	}
	options := DumpOptions(c.Server)
	for _, key := range m.keys {
		if e := c.DB.Peek(key); e != nil {
			d.dumps = append(d.dumps, dumped{key, string(datastore.Dump(e.Object(), options)), e.ExpireAt()})
		}
	}
	d.sockets.Begin()
	var done migrated
	if c.Door.FromScript() {
		c.Server.Owner.Aside(d.sockets.Interrupt, func() { done = d.deliver() })
	} else {
		done = d.deliver()
	}
	if d.sockets.Len() > 0 {
		c.Server.Owner.CloseSocketsSoon()
	}
	return done
}

// deliver sends the keys. If the connection breaks before the target has answered a RESTORE, it
// connects once more: the target may have closed a connection that was kept.
func (d *delivery) deliver() migrated {
	for last := false; ; last = true {
		k, err := d.sockets.Get(d.host, d.port, d.timeout, (d.began+d.millis())/1000)
		switch {
		case refusedLate(err) && !last:
			continue
		case refusedLate(err): // Redis does not ask whether it is connected before it writes
			return migrated{reply: reply.Err(errMigrateWrite)}
		case err != nil:
			return migrated{reply: reply.Err(errMigrateConnect)}
		}
		done, err := d.attempt(k)
		if err != nil {
			d.sockets.Close(k)
		}
		if err == nil || last || done.heard || errors.Is(err, os.ErrDeadlineExceeded) {
			return done
		}
	}
}

// refusedLate reports whether the target was found but does not take the connection.
func refusedLate(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EHOSTUNREACH)
}

// attempt sends the keys over k and reads the answers. After an error k cannot be used.
func (d *delivery) attempt(k *migrate.Socket) (done migrated, err error) {
	m := d.migration
	selects := k.Selected != m.db
	sent, err := d.send(k, selects)
	if err != nil {
		done.reply = reply.Err(errMigrateWrite)
		return done, err
	}
	done.reply = reply.Err(errMigrateRead)
	before := make([]string, 0, 2) // the answers to AUTH and SELECT
	for len(before) < cap(before) {
		line := ""
		if wanted := [2]bool{m.login, selects}[len(before)]; wanted {
			if line, err = k.ReadLine(m.timeout); err != nil {
				return done, err
			}
		}
		before = append(before, line)
	}
	refused := false
	for _, key := range sent {
		line, err := k.ReadLine(m.timeout)
		if err != nil {
			return done, err
		}
		done.heard = true
		switch refusal, is := firstError(before[0], before[1], line); {
		case !is:
			if !m.copy {
				done.gone = append(done.gone, key)
			}
		case !refused:
			refused = true
			text := strings.TrimRight("ERR Target instance replied with error: "+refusal, "\r\n")
			done.reply = reply.Err(errtext.OneLine(text))
			k.Selected = migrate.NoDB
		}
	}
	if !refused {
		done.reply = reply.OK()
		k.Selected = m.db
	}
	return done, nil
}

// firstError returns the text of the first line that is an error. is is false if none is.
func firstError(lines ...string) (text string, is bool) {
	for _, line := range lines {
		if text, is = strings.CutPrefix(line, "-"); is {
			text, _, _ = strings.Cut(text, "\x00")
			return text, true
		}
	}
	return "", false
}

// send sends the login, the choice of the database and the keys. It returns the keys that were
// sent: those that have not expired meanwhile.
func (d *delivery) send(k *migrate.Socket, selects bool) (sent []string, err error) {
	m, now := d.migration, d.began+d.millis()
	w := bufio.NewWriterSize(targetWriter{k, m.timeout}, 64<<10)
	switch {
	case m.login && m.namesUser:
		writeCommand(w, "AUTH", m.user, m.password)
	case m.login:
		writeCommand(w, "AUTH", m.password)
	}
	if selects {
		writeCommand(w, "SELECT", strconv.FormatInt(m.db, 10))
	}
	command := []string{d.command, "", "", "", "REPLACE"}
	if !m.replace {
		command = command[:4]
	}
	for _, k := range d.dumps {
		ttl := int64(0)
		if k.expireAt != 0 {
			if k.expireAt < now {
				continue
			}
			ttl = max(k.expireAt-now, 1)
		}
		command[1], command[2], command[3] = k.key, strconv.FormatInt(ttl, 10), k.dump
		writeCommand(w, command...)
		sent = append(sent, k.key)
	}
	return sent, w.Flush() // also the error of an earlier write
}

// targetWriter writes to a target.
type targetWriter struct {
	k       *migrate.Socket
	timeout time.Duration
}

// Write implements io.Writer.
func (w targetWriter) Write(p []byte) (int, error) {
	if err := w.k.Write(p, w.timeout); err != nil {
		return 0, err
	}
	return len(p), nil
}

// writeCommand writes a command in the form of the protocol. w keeps the error for its Flush.
func writeCommand(w *bufio.Writer, args ...string) {
	header := func(kind byte, n int) {
		_ = w.WriteByte(kind)
		_, _ = w.WriteString(strconv.Itoa(n))
		_, _ = w.WriteString("\r\n")
	}
	header('*', len(args))
	for _, arg := range args {
		header('$', len(arg))
		_, _ = w.WriteString(arg)
		_, _ = w.WriteString("\r\n")
	}
}
