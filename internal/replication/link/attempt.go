package link

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
)

// attempt is one connection to the master.
type attempt struct {
	*Link
	hello    Hello
	in       *input
	again    bool  // it follows a lost stream immediately
	begun    bool  // a copy or a stream has begun
	streamed bool  // the stream has begun
	err      error // why it has ended
}

// The errors that decide what happens next.
var (
	errProtocol = errors.New("protocol violated") // the position of the replica means nothing
	errLater    = errors.New("the master cannot serve replicas now")
	errCut      = errors.New("I/O error trying to sync with MASTER: connection lost")
	errNoPSYNC  = errors.New("PSYNC is not understood")
)

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
		if err := a.receive(s); err != nil {
			return a.explain(err)
		}
	}
	a.mu.Lock()
	a.acks = !full || s.ID != ""
	a.mu.Unlock()
	a.change(Streaming)
	a.streamed = true
	return a.explain(a.follow())
}

// explain logs why the connection has ended.
func (a *attempt) explain(err error) error {
	a.mu.Lock()
	late, state := a.timedOut, a.state
	a.mu.Unlock()
	switch {
	case a.ctx.Err() != nil:
	case late && state == Streaming:
		a.o.Log.Warn("MASTER timeout: no data nor PING received...")
	case late && state == Receiving:
		a.o.Log.Warn("Timeout receiving bulk data from MASTER... If the problem persists try to set the " +
			"'repl-timeout' parameter in redis.conf to a larger value.")
	case late:
		a.o.Log.Warn("Timeout connecting to the MASTER...")
	case state == Streaming && errors.Is(err, io.EOF):
		a.o.Log.Info("Connection with master lost.")
	case state == Streaming:
		a.o.Log.Info("Connection with master lost: " + reason(err))
	case !errors.Is(err, errLater):
		a.o.Log.Warn("MASTER <-> REPLICA sync: " + reason(err))
	}
	return err
}

// reason returns the cause of an error of the network, without the addresses.
func reason(err error) string {
	var sys *os.SyscallError
	if errors.As(err, &sys) {
		return sys.Err.Error()
	}
	return err.Error()
}

func (a *attempt) connect() error {
	verb := "Connecting"
	if a.again {
		verb = "Reconnecting"
	}
	a.o.Log.Info(fmt.Sprintf("%s to MASTER %s:%d", verb, a.hello.Host, a.hello.Port))
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
	return a.in.line()
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
		//lint:ignore ST1005 the words of Redis
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
		line, err := a.in.line()
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
	if a.hello.ReplID != "" {
		id, offset = a.hello.ReplID, strconv.FormatInt(a.hello.Offset, 10)
		a.o.Log.Info(fmt.Sprintf("Trying a partial resynchronization (request %s:%s).", id, offset))
	} else {
		a.o.Log.Info("Partial resynchronization not possible (no cached master)")
	}
	if err := a.write(command("PSYNC", id, offset)); err != nil {
		return s, false, err
	}
	line, err := a.in.reply()
	if err != nil {
		return s, false, err
	}
	s, full, err = a.decided(line)
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
		if offset, ok := offsetOf(words); ok && validID(words[1]) {
			s.ID, s.Offset = words[1], offset
			a.o.Log.Info(fmt.Sprintf("Full resync from master: %s:%d", s.ID, s.Offset))
		} else {
			a.o.Log.Warn("Master replied with wrong +FULLRESYNC syntax.")
		}
		return s, true, a.o.Host.FullSync(s)
	case strings.HasPrefix(line, "+CONTINUE"):
		if a.hello.ReplID == "" {
			return s, false, fmt.Errorf("%w: +CONTINUE was not asked for", errProtocol)
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

// offsetOf returns the offset of a FULLRESYNC.
func offsetOf(words []string) (int64, bool) {
	if len(words) != 3 {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(words[2]), 10, 64)
	return n, err == nil && n >= 0
}

// validID reports whether id can be a replication ID.
func validID(id string) bool {
	if len(id) != 40 {
		return false
	}
	for i := range len(id) {
		if c := id[i]; c <= ' ' || c >= 0x7f {
			return false
		}
	}
	return true
}
