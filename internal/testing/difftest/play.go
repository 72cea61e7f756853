package difftest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/resp"
)

// wrapping is how the commands of a file are sent; the resp and go doors share one.
type wrapping string

const (
	wrapNone wrapping = "plain"
	wrapCall wrapping = "call"
	wrapExec wrapping = "exec"

	// Only random commands come in by these.
	wrapPcall  wrapping = "pcall"
	wrapCallRO wrapping = "call_ro" // EVAL_RO
)

func (d Door) wrapping() wrapping {
	switch d {
	case DoorCall:
		return wrapCall
	case DoorExec:
		return wrapExec
	}
	return wrapNone
}

const (
	callScript  = "return redis.call(unpack(ARGV))"
	callScript3 = "redis.setresp(3); " + callScript
	pcallScript = "return redis.pcall(unpack(ARGV))"
)

// commands are what is sent for args.
func (w wrapping) commands(args []string, proto int) [][]string {
	switch w {
	case wrapCall:
		script := callScript
		if proto == 3 {
			script = callScript3
		}
		return [][]string{append([]string{"EVAL", script, "0"}, args...)}
	case wrapPcall:
		return [][]string{append([]string{"EVAL", pcallScript, "0"}, args...)}
	case wrapCallRO:
		return [][]string{append([]string{"EVAL_RO", callScript, "0"}, args...)}
	case wrapExec:
		return [][]string{{"MULTI"}, args, {"EXEC"}}
	}
	return [][]string{args}
}

// relax adds to the relaxations of the step what may differ in this wrapping: a map that went
// through a Lua table has lost its order.
func (w wrapping) relax(r Relax) Relax {
	r.Tables = w != wrapNone && w != wrapExec
	return r
}

// outcome is what a peer answered in one step: raw replies, in the exec wrapping three. In a
// golden some are shortened; see shorten.
type outcome struct {
	replies [][]byte
	changed bool          // a frozen step changed the keyspace
	lag     time.Duration // since the beginning of the file
}

// lagging allows times to differ by as much more as the oracle has taken so far: the clock of
// Redmoon stands still, and the machine may be busy. The unit follows from what may differ anyway.
func (r Relax) lagging(lag time.Duration) Relax {
	switch {
	case r.Approx >= 1e6:
		r.Approx += min(lag.Microseconds(), math.MaxInt64-r.Approx)
	case r.Approx >= 1000:
		r.Approx += lag.Milliseconds()
	case r.Approx > 0:
		r.Approx += int64(lag.Seconds())
	}
	return r
}

// accepts reports whether got is a right answer where the oracle answered want.
func (s *Step) accepts(w wrapping, want, got outcome) bool {
	if len(want.replies) != len(got.replies) {
		return false
	}
	for i := range want.replies {
		a, b, relax := want.replies[i], got.replies[i], w.relax(s.Relax).lagging(want.lag)
		if w == wrapExec {
			if i < len(want.replies)-1 {
				relax = Relax{}
			}
			a, b = inner(a, b)
		}
		if !matches(relax, a, b) {
			return false
		}
	}
	return true
}

var oneElement = []byte("*1\r\n")

// inner returns the single replies in two replies of EXEC, if both hold one.
func inner(a, b []byte) ([]byte, []byte) {
	x, ok := bytes.CutPrefix(a, oneElement)
	if !ok {
		return a, b
	}
	y, ok := bytes.CutPrefix(b, oneElement)
	if !ok {
		return a, b
	}
	return x, y
}

// refused reports whether the last reply is an error, as a frozen step asks for.
func (o outcome) refused() bool {
	if len(o.replies) == 0 {
		return true
	}
	last := bytes.TrimPrefix(o.replies[len(o.replies)-1], oneElement)
	return len(last) > 0 && last[0] == '-' || string(last) == Closed
}

// session is one open session of a pass.
type session struct {
	conn  Conn
	proto int
	id    string      // its client id, where the file names ids
	later chan answer // of the step that waits, or nil
}

// answer is the outcome of a step that blocked.
type answer struct {
	out outcome
	err error
}

// pass plays a file against one peer.
type pass struct {
	peer     Peer
	wrap     wrapping
	seeds    func(name string) (string, error)
	ids      bool                 // the file names client ids
	resp3    bool                 // every session begins with HELLO 3
	after    func(step int) error // called after each step; nil: not
	probe    Conn                 // asks how many clients wait; nil until needed
	sessions map[string]*session
	current  string
}

// play plays the steps on a fresh session and returns an outcome for each.
func play(peer Peer, f *File, w wrapping, seeds func(string) (string, error)) ([]outcome, error) {
	return (&pass{peer: peer, wrap: w, seeds: seeds, ids: f.ids, resp3: f.resp3}).play(f)
}

func (p *pass) play(f *File) ([]outcome, error) {
	p.sessions = map[string]*session{}
	defer func() {
		for _, s := range p.sessions {
			s.conn.Close()
		}
		if p.probe != nil {
			p.probe.Close()
		}
	}()
	outs, begun := make([]outcome, len(f.Steps)), time.Now()
	for i := range f.Steps {
		s := &f.Steps[i]
		out, err := p.step(s)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", f.Path, s.Line, err)
		}
		outs[i], outs[i].lag = out, time.Since(begun)
		if p.after != nil {
			if err := p.after(i); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", f.Path, s.Line, err)
			}
		}
	}
	return outs, nil
}

func (p *pass) session() (*session, error) {
	if s := p.sessions[p.current]; s != nil {
		return s, nil
	}
	c, err := p.peer.Open()
	if err != nil {
		return nil, err
	}
	s := &session{conn: c, proto: 2}
	if p.ids {
		raw, err := c.Do([]string{"CLIENT", "ID"})
		if err != nil {
			return nil, err
		}
		s.id = strings.Trim(string(raw), ":\r\n")
	}
	p.sessions[p.current] = s
	if p.resp3 {
		_, err = p.step(&Step{kind: stepResp, N: 3})
	}
	return s, err
}

func (p *pass) step(s *Step) (outcome, error) {
	switch s.kind {
	case stepSession:
		p.current = s.Name
		return outcome{}, nil
	case stepWait:
		p.peer.Pass(s.Wait)
		return outcome{}, nil
	case stepBlocked:
		n, err := p.blocked()
		return outcome{replies: [][]byte{fmt.Appendf(nil, "(%d blocked)", n)}}, err
	}
	sess, err := p.session()
	if err != nil {
		return outcome{}, err
	}
	switch s.kind {
	case stepClose:
		delete(p.sessions, p.current)
		return outcome{}, p.drop(sess)
	case stepResp:
		sess.proto = s.N
		raw, err := sess.conn.Do([]string{"HELLO", strconv.Itoa(s.N)})
		if err == nil && raw[0] == '-' {
			err = fmt.Errorf("HELLO %d: %q", s.N, raw)
		}
		return outcome{}, err
	}
	out, err := p.answer(sess, s)
	if s.IDs {
		p.nameIDs(&out)
	}
	return out, err
}

// nameIDs replaces client ids that are integers by the names of their sessions. The version of a
// module in the reply of HELLO is not an id.
func (p *pass) nameIDs(out *outcome) {
	for i := range out.replies {
		for name, sess := range p.sessions {
			id, shown := []byte(":"+sess.id+"\r\n"), []byte(":@"+name+"\r\n")
			out.replies[i] = bytes.ReplaceAll(out.replies[i], id, shown)
			out.replies[i] = bytes.ReplaceAll(out.replies[i], append([]byte("$3\r\nver\r\n"), shown...), append([]byte("$3\r\nver\r\n"), id...))
		}
	}
}

// answer plays a step that has replies.
func (p *pass) answer(sess *session, s *Step) (outcome, error) {
	switch {
	case s.kind == stepAwait:
		return p.await(sess)
	case s.kind == stepPushes:
		return pushes(sess.conn)
	case s.Blocks:
		return p.begin(sess, s)
	case s.Busy:
		return p.beginBusy(sess, s)
	case sess.later != nil:
		return outcome{}, fmt.Errorf("the session waits")
	case !s.Frozen:
		return p.send(sess, s)
	}
	before, err := p.peer.Digest()
	if err != nil {
		return outcome{}, err
	}
	out, err := p.send(sess, s)
	if err != nil {
		return out, err
	}
	after, err := p.peer.Digest()
	out.changed = before != after
	return out, err
}

// send sends what a command or raw step says and collects the replies.
func (p *pass) send(sess *session, s *Step) (out outcome, err error) {
	if s.kind == stepRaw {
		return sendRaw(sess.conn, s)
	}
	args, err := withSeeds(s.Args, p.seeds)
	if err != nil {
		return out, err
	}
	if args, err = p.withIDs(args); err != nil {
		return out, err
	}
	if s.NoReply {
		return sendSilently(sess.conn, args)
	}
	for _, cmd := range p.wrap.commands(args, sess.proto) {
		raw, err := sess.conn.Do(cmd)
		if err != nil {
			return out, fmt.Errorf("%.80q: %w", cmd, err)
		}
		out.replies = append(out.replies, raw)
	}
	return out, nil
}

// drop closes a session, and returns when the peer has ended its blocked command.
func (p *pass) drop(sess *session) error {
	if sess.later == nil {
		sess.conn.Close()
		return nil
	}
	before, err := p.blocked()
	sess.conn.Close()
	for now := before; err == nil && now >= before; {
		now, err = p.blocked()
	}
	return err
}

// blocks is the outcome of a step that waits.
const blocks = "(blocks)"

// begin sends a step whose command blocks, and returns when the peer reports it as blocked.
func (p *pass) begin(sess *session, s *Step) (outcome, error) {
	before, err := p.blocked()
	if err != nil {
		return outcome{}, err
	}
	return p.sendUntil(sess, s, blocks, func() (bool, error) {
		now, err := p.blocked()
		return now > before, err
	})
}

// busy is the outcome of a step whose script makes the server answer BUSY.
const busy = "(busy)"

// beginBusy sends a step whose script does not end, and returns when the peer answers BUSY to
// others.
func (p *pass) beginBusy(sess *session, s *Step) (outcome, error) {
	if err := p.openProbe(); err != nil {
		return outcome{}, err
	}
	return p.sendUntil(sess, s, busy, func() (bool, error) {
		raw, err := p.probe.Do([]string{"PING"})
		return bytes.HasPrefix(raw, []byte("-BUSY")), err
	})
}

// sendUntil sends a step that will be answered later. When come reports true, it returns called as
// the outcome. A step that is answered before has that answer as its outcome.
func (p *pass) sendUntil(sess *session, s *Step, called string, come func() (bool, error)) (outcome, error) {
	later := make(chan answer, 1)
	go func() {
		out, err := p.send(sess, s)
		later <- answer{out, err}
	}()
	for {
		select {
		case a := <-later:
			return a.out, a.err
		default:
		}
		yes, err := come()
		if err != nil {
			return outcome{}, err
		}
		if yes {
			sess.later = later
			return outcome{replies: [][]byte{[]byte(called)}}, nil
		}
	}
}

// await returns the outcome of the step that blocked.
func (p *pass) await(sess *session) (outcome, error) {
	if sess.later == nil {
		return outcome{replies: [][]byte{[]byte("(nothing waits)")}}, nil
	}
	var a answer
	select {
	case a = <-sess.later:
	case <-patience.After():
		return outcome{}, errors.New("the command that waits gets no reply; does the case let the time pass?")
	}
	sess.later = nil
	return a.out, a.err
}

// blocked asks the peer how many clients wait.
func (p *pass) blocked() (n int, err error) {
	if err = p.openProbe(); err != nil {
		return 0, err
	}
	raw, err := p.probe.Do([]string{"INFO", "clients"})
	if err != nil {
		return 0, err
	}
	_, rest, ok := strings.Cut(string(raw), "\nblocked_clients:")
	if !ok {
		return 0, fmt.Errorf("INFO clients: %q", raw)
	}
	digits, _, _ := strings.Cut(rest, "\r")
	return strconv.Atoi(digits)
}

// openProbe opens the connection that asks about others.
func (p *pass) openProbe() (err error) {
	if p.probe == nil {
		p.probe, err = p.peer.Open()
	}
	return err
}

func sendRaw(c Conn, s *Step) (out outcome, err error) {
	rc, ok := c.(rawConn)
	if !ok {
		return out, fmt.Errorf("this door takes no raw bytes")
	}
	if err := rc.Send(s.Raw); err != nil {
		return out, err
	}
	for range s.N {
		raw, err := rc.Read()
		if err != nil {
			return out, err
		}
		out.replies = append(out.replies, raw)
	}
	return out, nil
}

// lastWord is the reply to a PING after which nothing else is on its way.
const lastWord = "no more pushes"

// pushes collects what has been sent to the session. Peers send it before the replies to later
// commands.
func pushes(c Conn) (out outcome, err error) {
	rc, ok := c.(rawConn)
	if !ok {
		return out, fmt.Errorf("this door has no pushes")
	}
	raw, err := rc.Do([]string{"PING", lastWord})
	for ; err == nil && !bytes.Contains(raw, []byte(lastWord)); raw, err = rc.Read() {
		out.replies = append(out.replies, raw)
	}
	return out, err
}

// sendSilently sends a command that gets no reply.
func sendSilently(c Conn, args []string) (out outcome, err error) {
	if rc, ok := c.(rawConn); ok {
		return outcome{replies: [][]byte{{}}}, rc.Send(string(resp.AppendCommand(nil, args...)))
	}
	raw, err := c.Do(args)
	return outcome{replies: [][]byte{raw}}, err
}
