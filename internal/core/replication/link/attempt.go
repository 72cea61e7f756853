package link

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/files"
)

// attempt is one connection to the master.
type attempt struct {
	*Link
	hello    Hello
	in       *input
	when     when
	begun    bool  // a copy or a stream has begun
	streamed bool  // the stream has begun
	failed   bool  // the copy has failed, or the master has been silent before it
	err      error // why it has ended
}

func (e noAnswer) Unwrap() error { return e.error }

// when says when an attempt is made.
type when uint8

const (
	onTime       when = iota // when a second has passed
	afterStream              // immediately after a lost stream
	afterFailure             // immediately after a failed copy
)

// The errors that decide what happens next.
var (
	// ErrCut is the error of a copy that does not arrive completely.
	ErrCut = errors.New("I/O error trying to sync with MASTER: connection lost")
	// ErrLogged is wrapped by errors of a host that it has logged.
	ErrLogged  = errors.New("the load has failed")
	errLater   = errors.New("the master cannot serve replicas now")
	errNoPSYNC = errors.New("PSYNC is not understood")
)

// noAnswer is the error of a command that the master did not answer.
type noAnswer struct {
	error
	note string // for the log
}

// run connects and follows the master until the connection ends.
func (a *attempt) run() (err error) {
	if a.hello, err = a.o.Host.Hello(); err != nil {
		return err
	}
	if err := a.connect(); err != nil {
		a.o.Log.Warn("Error condition on socket for SYNC: " + reason(err))
		return err
	}
	a.change(Handshaking)
	s, full, err := a.greet()
	if err != nil {
		return a.explain(err)
	}
	a.begun = true
	if full {
		if s, err = a.receive(s); err != nil {
			return a.explain(err)
		}
	}
	a.mu.Lock()
	a.acks = !full || s.ID != ""
	a.mu.Unlock()
	a.change(Streaming)
	a.streamed = true
	if s.Marked { // the master streams nothing before it hears from the replica
		_ = a.acknowledge()
	}
	return a.explain(a.follow())
}

// explain logs why the connection has ended, except a stream: the host does that.
func (a *attempt) explain(err error) error {
	a.mu.Lock()
	late, state := a.timedOut, a.state
	a.mu.Unlock()
	a.failed = state == Receiving || late && state < Receiving
	switch unanswered := (noAnswer{}); {
	case a.ctx.Err() != nil:
	case late && state == Streaming:
		a.o.Log.Warn("MASTER timeout: no data nor PING received...")
	case late && state == Receiving:
		a.o.Log.Warn("Timeout receiving bulk data from MASTER... If the problem persists try to set the " +
			"'repl-timeout' parameter in redis.conf to a larger value.")
	case late:
		a.o.Log.Warn("Timeout connecting to the MASTER...")
	case errors.As(err, &unanswered):
		a.o.Log.Warn("Failed to read response from the server: " + reason(err))
		a.o.Log.Warn(unanswered.note)
	case state != Streaming && !errors.Is(err, errLater) && !errors.Is(err, ErrLogged):
		a.o.Log.Warn(err.Error())
	}
	return err
}

// reason returns the cause of an error of the network in the words of the system.
func reason(err error) string {
	if errors.Is(err, io.EOF) {
		return "Success"
	}
	return files.Strerror(err)
}

func (a *attempt) connect() error {
	a.o.Log.Info(fmt.Sprintf([...]string{onTime: "Connecting to MASTER %s:%d", afterStream: "Reconnecting to MASTER %s:%d",
		afterFailure: "Reconnecting to MASTER %s:%d after failure"}[a.when], a.hello.Host, a.hello.Port))
	a.o.Log.Info("MASTER <-> REPLICA sync started")
	a.change(Connecting)
	a.mu.Lock()
	a.silence = a.hello.Timeout
	a.mu.Unlock()
	a.hear()
	ctx, cancel := context.WithTimeout(a.ctx, max(a.hello.Timeout, period))
	defer cancel()
	conn, err := a.o.Dial(ctx, net.JoinHostPort(a.hello.Host, strconv.Itoa(a.hello.Port)), a.hello.TLS)
	if err != nil {
		return err
	}
	a.o.Log.Info("Non blocking connect for SYNC fired the event.")
	a.hear()
	a.in = &input{conn: conn, heard: a.hear}
	return a.take(conn)
}

// ask sends a command and returns the line that the master replies.
func (a *attempt) ask(args ...string) (string, error) {
	if err := a.write(command(args...)); err != nil {
		return "", err
	}
	return a.answer()
}

// answer reads a line of the master before PSYNC.
func (a *attempt) answer() (string, error) {
	line, err := a.in.line(replyLimit)
	if err != nil {
		err = noAnswer{err, "Master did not respond to command during SYNC handshake"}
	}
	return line, err
}

// greet introduces the replica and asks for what is missing. full is true if the master sends the
// copy s.
func (a *attempt) greet() (s Sync, full bool, err error) {
	line, err := a.ask("PING")
	if err != nil {
		return s, false, err
	}
	if !strings.HasPrefix(line, "+") && !strings.HasPrefix(line, "-NOAUTH") && !strings.HasPrefix(line, "-NOPERM") &&
		!strings.HasPrefix(line, "-ERR operation not permitted") {
		return s, false, fmt.Errorf("Error reply to PING from master: '%s'", line)
	}
	a.o.Log.Info("Master replied to PING, replication can continue...")
	if err := a.introduce(); err != nil {
		return s, false, err
	}
	return a.psync()
}

// introduce sends all that the master must know in one go, then reads the replies.
func (a *attempt) introduce() error {
	h := a.hello
	var out []byte
	var parts []string
	add := func(part string, args ...string) {
		out = append(out, command(args...)...)
		parts = append(parts, part)
	}
	switch {
	case h.Password != "" && h.User != "":
		add("AUTH", "AUTH", h.User, h.Password)
	case h.Password != "":
		add("AUTH", "AUTH", h.Password)
	}
	add("listening-port", "REPLCONF", "listening-port", strconv.Itoa(h.ListeningPort))
	if h.AnnounceIP != "" {
		add("ip-address", "REPLCONF", "ip-address", h.AnnounceIP)
	}
	add("capa", "REPLCONF", "capa", "eof", "capa", "psync2")
	if err := a.write(out); err != nil {
		return err
	}
	for _, part := range parts {
		line, err := a.answer()
		switch {
		case err != nil:
			return err
		case !strings.HasPrefix(line, "-"):
		case part == "AUTH":
			//lint:ignore ST1005 the words of Redis
			return fmt.Errorf("Unable to AUTH to MASTER: %s", line)
		default:
			a.o.Log.Info("(Non critical) Master does not understand REPLCONF " + part + ": " + line)
		}
	}
	return nil
}

// psync asks the master to go on, and reads its decision.
func (a *attempt) psync() (s Sync, full bool, err error) {
	id, offset := "?", "-1"
	if a.hello.Resume {
		id, offset = a.hello.ReplID, strconv.FormatInt(a.hello.Offset, 10)
		a.o.Log.Info(fmt.Sprintf("Trying a partial resynchronization (request %s:%s).", id, offset))
	} else {
		a.o.Log.Info("Partial resynchronization not possible (no cached master)")
	}
	words := []string{"PSYNC", id, offset}
	if a.hello.Failover {
		words = append(words, "FAILOVER")
	}
	if err := a.write(command(words...)); err != nil {
		return s, false, err
	}
	line, err := a.in.reply(replyLimit)
	if err != nil {
		return s, false, noAnswer{err, "Master did not reply to PSYNC, will try later"}
	}
	s, full, err = a.decided(line)
	if a.hello.Failover && (errors.Is(err, errLater) || errors.Is(err, errNoPSYNC)) {
		a.o.Host.Rejected()
		return s, false, err
	}
	if errors.Is(err, errNoPSYNC) {
		a.o.Log.Info("Retrying with SYNC...")
		s = Sync{Offset: -1, Size: -1}
		if err := a.write([]byte("SYNC\r\n")); err != nil {
			return s, false, err
		}
		return s, true, a.o.Host.FullSync(s)
	}
	return s, full, err
}

// decided reads the reply to PSYNC.
func (a *attempt) decided(line string) (s Sync, full bool, err error) {
	switch {
	case strings.HasPrefix(line, "+FULLRESYNC"):
		s = Sync{Offset: -1, Size: -1}
		words := strings.SplitN(line, " ", 3)
		if len(words) == 3 && len(words[1]) == idSize {
			s.ID, s.Offset = words[1], leadingNumber(words[2])
			a.o.Log.Info(fmt.Sprintf("Full resync from master: %s:%d", s.ID, s.Offset))
		} else {
			a.o.Log.Warn("Master replied with wrong +FULLRESYNC syntax.")
		}
		return s, true, a.o.Host.FullSync(s)
	case strings.HasPrefix(line, "+CONTINUE"):
		if !a.hello.Resume {
			return s, false, fmt.Errorf("%w: +CONTINUE was not asked for", ErrProtocol)
		}
		a.o.Log.Info("Successful partial resynchronization with master.")
		id := strings.TrimRight(strings.TrimLeft(line[len("+CONTINUE"):], " "), " ")
		if !validID(id) || id == a.hello.ReplID {
			id = ""
		} else {
			a.o.Log.Info("Master replication ID changed to " + id)
		}
		a.mu.Lock()
		a.offset = a.hello.Offset - 1
		a.mu.Unlock()
		if err := a.o.Host.Continue(id); err != nil {
			return s, false, err
		}
		a.o.Log.Info("MASTER <-> REPLICA sync: Master accepted a Partial Resynchronization.")
		return s, false, nil
	case strings.HasPrefix(line, "-NOMASTERLINK"), strings.HasPrefix(line, "-LOADING"):
		a.o.Log.Info("Master is currently unable to PSYNC but should be in the future: " + line)
		return s, false, errLater
	case strings.HasPrefix(line, "-ERR"):
		a.o.Log.Info("Master does not support PSYNC or is in error state (reply: " + line + ")")
	default:
		a.o.Log.Warn("Unexpected reply to PSYNC from master: " + line)
	}
	return s, false, errNoPSYNC
}

// idSize is the length of a replication ID.
const idSize = 40

// validID reports whether id can be a replication ID.
func validID(id string) bool {
	if len(id) != idSize {
		return false
	}
	for i := range len(id) {
		if c := id[i]; c <= ' ' || c >= 0x7f {
			return false
		}
	}
	return true
}
