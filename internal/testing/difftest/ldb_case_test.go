package difftest

import (
	"bytes"
	"crypto/sha1"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/resp"
)

// ldbFile is a script and the sessions in which it is debugged. The text of one begins with the
// script, up to a line
//
//	== name
//
// which begins the first session. A session is a list of steps, one a line, with words quoted as in
// redis-cli:
//
//	do SET k v        a command of another client
//	send PING         a command of the client that debugs
//	eval k1 , a1 a2   sends the script, with keys and arguments
//	> print a         a command of the debugger
//	>> eval f('x')    the same, with unquoted words
//	raw "..."         sends bytes as they are, and reads nothing
//	flood 9 "..."     the same, 9 times
//	pipe 3            sends the next 3 commands together, then reads 3 replies
//	read              reads one more reply
//	differs ID        the first one: Redis answers differently, see docs/differences.md
//	await COMMAND     is do, again and again while the server is busy
//	close             drops the connection
//	again             opens another one
//
// Lines that begin with # are comments. After the debugger has announced the end of a session,
// everything is read until the server closes the connection.
type ldbFile struct {
	script   string
	sessions []ldbSession
	hash     string // of all of it
}

type ldbSession struct {
	name    string
	steps   []ldbStep
	differs string // ID of the difference, or ""
}

type ldbStep struct {
	verb  string
	words []string
}

func readLDBFile(path string) (*ldbFile, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := &ldbFile{hash: fmt.Sprintf("%x", sha1.Sum(data))}
	f.script, _, _ = strings.Cut("\n"+string(data), "\n== ")
	f.script = strings.TrimPrefix(f.script, "\n")
	inside := false
	for n, line := range strings.Split(string(data), "\n") {
		if name, ok := strings.CutPrefix(line, "== "); ok {
			f.sessions, inside = append(f.sessions, ldbSession{name: name}), true
			continue
		}
		if !inside || line == "" || line[0] == '#' {
			continue
		}
		words, err := texts(line)
		if code, ok := strings.CutPrefix(line, ">> "); ok {
			words, err = append([]string{">"}, strings.Fields(code)...), nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n+1, err)
		}
		step := ldbStep{verb: words[0], words: words[1:]}
		s := &f.sessions[len(f.sessions)-1]
		if step.verb == "differs" {
			s.differs = step.words[0]
			continue
		}
		s.steps = append(s.steps, step)
	}
	return f, nil
}

// ldbPlayer plays one session.
type ldbPlayer struct {
	peer   Peer
	script string
	c      rawConn
	other  Conn
	out    []string
	gone   bool // the session has ended, and everything after it has been read
	queue  string
	queued int // commands that will be sent together with those in queue
	piped  int
}

// playLDB plays a session and returns the raw replies, in order.
func playLDB(peer Peer, script string, s ldbSession) ([]string, error) {
	p := &ldbPlayer{peer: peer, script: script}
	var err error
	if p.other, err = peer.Open(); err != nil {
		return nil, err
	}
	defer p.other.Close()
	if err := p.open(); err != nil {
		return nil, err
	}
	defer func() { p.c.Close() }()
	for _, step := range s.steps {
		if err := p.step(step); err != nil {
			return p.out, fmt.Errorf("%s %q: %w", step.verb, step.words, err)
		}
	}
	return p.out, nil
}

func (p *ldbPlayer) open() error {
	c, err := p.peer.Open()
	if err != nil {
		return err
	}
	p.c, p.gone = c.(rawConn), false
	return nil
}

func (p *ldbPlayer) step(s ldbStep) error {
	switch s.verb {
	case "do":
		raw, err := p.other.Do(s.words)
		p.note(raw)
		return err
	case "await": // repeats a command while the server is busy
		var raw []byte
		err := patience.Try(func() (err error) {
			if raw, err = p.other.Do(s.words); err == nil && bytes.HasPrefix(raw, []byte("-BUSY")) {
				err = errors.New(string(raw))
			}
			return err
		})
		p.note(raw)
		return err
	case "send", ">":
		return p.send(s.words)
	case "eval":
		keys, args := s.words, []string(nil)
		for i, w := range s.words {
			if w == "," {
				keys, args = s.words[:i], s.words[i+1:]
			}
		}
		return p.send(append(append([]string{"EVAL", p.script, strconv.Itoa(len(keys))}, keys...), args...))
	case "raw":
		return p.c.Send(strings.Join(s.words, ""))
	case "flood":
		n, err := strconv.Atoi(s.words[0])
		if err != nil {
			return err
		}
		return p.c.Send(strings.Repeat(s.words[1], n))
	case "pipe":
		n, err := strconv.Atoi(s.words[0])
		p.queued, p.piped = n, n
		return err
	case "read":
		return p.read()
	case "close":
		p.c.Close()
		return nil
	case "again":
		p.c.Close()
		return p.open()
	}
	return fmt.Errorf("there is no such step")
}

func (p *ldbPlayer) send(words []string) error {
	if p.gone {
		p.note([]byte(Closed))
		return nil
	}
	raw := string(resp.AppendCommand(nil, words...))
	if p.queued == 0 {
		if err := p.c.Send(raw); err != nil {
			return err
		}
		return p.read()
	}
	p.queue += raw
	if p.queued--; p.queued > 0 {
		return nil
	}
	raw, p.queue = p.queue, ""
	if err := p.c.Send(raw); err != nil {
		return err
	}
	for range p.piped {
		if err := p.read(); err != nil {
			return err
		}
	}
	return nil
}

func (p *ldbPlayer) read() error {
	raw, err := p.readOne()
	if err != nil {
		return err
	}
	for !p.gone && (bytes.Contains(raw, []byte("+<endsession>\r\n")) || string(raw) == Closed) {
		if string(raw) == Closed {
			p.gone = true
			break
		}
		next, err := p.readOne()
		if err != nil {
			return err
		}
		if string(next) == Closed {
			raw = next
		}
	}
	return nil
}

// readOne reads a reply, or as much of one as came before the server closed the connection.
func (p *ldbPlayer) readOne() ([]byte, error) {
	raw, err := p.c.Read()
	if err != nil && isClosed(err) {
		err = nil
		p.note(append(raw, "(cut)"...))
		raw = []byte(Closed)
	}
	p.note(raw)
	return raw, err
}

// These differ from run to run: the addresses of Lua values, and the ids of clients.
var (
	valueAddress = regexp.MustCompile(`@0x[0-9a-f]+`)
	clientID     = regexp.MustCompile(`id\r\n:\d+`)
)

func (p *ldbPlayer) note(raw []byte) {
	p.out = append(p.out, clientID.ReplaceAllString(valueAddress.ReplaceAllString(string(raw), "@0x"), "id\r\n:"))
}

// ldbGolden is what the oracle answered to a file, by session.
type ldbGolden map[string][]string

func readLDBGolden(path string, f *ldbFile) (ldbGolden, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	g, name := ldbGolden{}, ""
	for _, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "redis-server":
		case "source":
			if rest != f.hash {
				return nil, ErrStale
			}
		case "==":
			name = rest
			g[name] = nil
		default:
			raw, err := strconv.Unquote(line)
			if err != nil {
				return nil, fmt.Errorf("%s: %q: %w", path, line, err)
			}
			g[name] = append(g[name], raw)
		}
	}
	return g, nil
}

func (g ldbGolden) write(path string, f *ldbFile) error {
	var b strings.Builder
	fmt.Fprintf(&b, "redis-server %s\nsource %s\n", OracleVersion, f.hash)
	for _, s := range f.sessions {
		fmt.Fprintf(&b, "== %s\n", s.name)
		for _, raw := range g[s.name] {
			fmt.Fprintln(&b, strconv.Quote(raw))
		}
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}
