package keys

import (
	"bufio"
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/errtext"
	"github.com/redmoon-lua/redmoon/internal/migrate"
	"github.com/redmoon-lua/redmoon/internal/server"
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

// run sends the keys. If the connection breaks before the target has answered a RESTORE, run
// connects once more: the target may have closed a connection that was kept.
func (m *migration) run(c *server.Ctx) any {
	millis := c.Server.Stopwatch()
	for last := false; ; last = true {
		k, err := c.Server.MigrateSocket(m.host, m.port, m.timeout)
		switch {
		case refusedLate(err) && !last:
			continue
		case refusedLate(err): // Redis does not ask whether it is connected before it writes
			return migrated{reply: reply.Err(errMigrateWrite)}
		case err != nil:
			return migrated{reply: reply.Err(errMigrateConnect)}
		}
		done, err := m.attempt(c, k, c.Now()+millis())
		if err != nil {
			c.Server.MigrateSockets.Close(k)
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

// attempt sends the keys over k and reads the answers. now is the time in ms. After an error k
// cannot be used.
func (m *migration) attempt(c *server.Ctx, k *migrate.Socket, now int64) (done migrated, err error) {
	selects := k.Selected != m.db
	sent, err := m.send(c, k, selects, now)
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
func (m *migration) send(c *server.Ctx, k *migrate.Socket, selects bool, now int64) (sent []string, err error) {
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
	command := []string{"RESTORE", "", "", "", "REPLACE"}
	if c.Server.Cluster != nil {
		command[0] = "RESTORE-ASKING"
	}
	if !m.replace {
		command = command[:4]
	}
	options := DumpOptions(c.Server)
	for _, key := range m.keys {
		e := c.DB.Peek(key)
		if e == nil {
			continue
		}
		ttl := int64(0)
		if at := e.ExpireAt(); at != 0 {
			if at < now {
				continue
			}
			ttl = max(at-now, 1)
		}
		command[1], command[2], command[3] = key, strconv.FormatInt(ttl, 10), string(datastore.Dump(e.Object(), options))
		writeCommand(w, command...)
		sent = append(sent, key)
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
