package dialogue

import (
	"strings"
	"sync"

	"github.com/redmoon-lua/redmoon/internal/base/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/tools/recording"
)

// Sink receives what a [Dialogue] finds. The methods are called one after the other, while the
// Dialogue holds its lock. They must not keep slices.
type Sink interface {
	// Request receives a request, or with more a piece of it; see [recording.Writer].
	Request(n int64, args []recording.Arg, more bool)
	// Reply receives the reply to request n, or with more a piece of it. With cut the reply is longer
	// than its pieces.
	Reply(n int64, raw []byte, more bool, cut *recording.Cut)
	HiddenReply(n int64) // a reply that has a password
	Silent(n int64)      // the request has no reply
	Push(raw []byte, more bool)
	Unparsed(why string) // the rest of the connection is not cut
}

// Options say how a dialogue is cut.
type Options struct {
	MaxReply int64 // bytes of a reply that are passed on; 0: all
	Piece    int   // bytes of a request that are kept before a piece is passed on, at least 64; 0: 64 KiB
	Secrets  bool  // do not hide passwords
}

// Dialogue is what has passed on a connection. Two goroutines may call Client and Server.
type Dialogue struct {
	mu       sync.Mutex
	sink     Sink
	o        Options
	table    *cmdtable.Table // of the latest version, which knows the most commands
	unparsed bool

	// The request in progress.
	in        requests
	n         int64 // its number
	args      []recording.Arg
	arg       []byte // the argument in progress
	size      int    // bytes in args and arg
	longArg   bool   // pieces of the argument in progress have been passed on
	count     int    // complete arguments
	name      string // of the command, in upper case
	sub       string // of CLIENT and SCRIPT, the two words behind the name, in upper case
	spilled   bool   // pieces have been passed on
	dropping  bool   // it is long and has a password: the rest is not kept
	multi     bool   // it is in a transaction, as far as requests show
	multiHide bool   // the transaction has a request with a password, or whose reply is hidden
	multiSubs bool   // the transaction subscribes

	waiting []pending // requests without a reply, oldest first
	state   state
	frame   frame
	long    long
}

// pending is a request whose reply has not come.
type pending struct {
	n       int64
	name    string // in upper case
	sub     string // see Dialogue.sub
	args    int    // number of arguments, with the name
	hide    bool
	secrets []string
	heard   int // confirmations that have come

	subscribes bool // it is an EXEC, and its transaction subscribes
}

// New returns a dialogue that has not begun.
func New(sink Sink, o Options) *Dialogue {
	if o.Piece == 0 {
		o.Piece = 64 << 10
	}
	d := &Dialogue{sink: sink, o: o, table: cmdrows.TableOf(servers.Redis80), n: 1}
	d.in.arg, d.in.over = d.argument, d.request
	return d
}

// Client takes bytes that the client has sent. The caller must call it before the server gets them.
func (d *Dialogue) Client(b []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.unparsed {
		return
	}
	if err := d.in.feed(b); err != nil {
		d.stop("the client has sent what is not a request")
	}
}

// stop ends the parsing.
func (d *Dialogue) stop(why string) {
	if !d.unparsed {
		d.unparsed = true
		d.sink.Unparsed(why)
	}
}

// End reports the requests that certainly have no reply. The connection has ended.
func (d *Dialogue) End() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.frame.begun && d.frame.class != push {
		return // within a reply
	}
	if !d.unparsed {
		d.skipAllSilent()
	}
}

// skipAllSilent reports the oldest requests as far as they have no reply.
func (d *Dialogue) skipAllSilent() {
	for len(d.waiting) > 0 && d.waiting[0].heard == 0 && d.state.silent(&d.waiting[0]) {
		d.skipSilent()
	}
}

// Waiting returns the number of requests whose reply has not come.
func (d *Dialogue) Waiting() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.waiting)
}

// argument takes a piece of an argument.
func (d *Dialogue) argument(piece []byte, last bool) {
	if d.unparsed {
		return
	}
	if !d.dropping {
		d.arg = append(d.arg, piece...)
		d.size += len(piece)
	}
	if last {
		d.noteWord()
		if !d.dropping {
			d.args = append(d.args, recording.Arg{Text: string(d.arg)})
			d.arg = d.arg[:0]
			d.size += argSize
		}
		d.longArg = false
	}
	if d.size >= d.o.Piece && (last || d.count >= nameWords || len(d.arg) > longFirst) {
		d.spill(!last)
	}
}

// nameWords is the number of words that may belong to the name of a command.
const nameWords = 3

// noteWord notes an argument that belongs to the name of the command.
func (d *Dialogue) noteWord() {
	d.count++
	if d.count > nameWords || d.count > 1 && d.name != "CLIENT" && d.name != "SCRIPT" {
		return
	}
	word := ""
	if !d.longArg && len(d.arg) <= longFirst {
		word = strings.ToUpper(string(d.arg))
	}
	switch d.count {
	case 1:
		d.name, d.sub = word, ""
	case 2:
		d.sub = word
	case 3:
		d.sub += " " + word
	}
}

// argSize is about what an argument takes besides its bytes.
const argSize = 16

// spill passes the request on as far as it has come. within says that it ends within an argument.
func (d *Dialogue) spill(within bool) {
	if d.dropping {
		return
	}
	if mayHaveSecrets(d.table, d.name) && d.count > 0 && !d.o.Secrets {
		d.dropping = true
		return
	}
	if within {
		d.args = append(d.args, recording.Arg{Text: string(d.arg)})
		d.arg, d.longArg, d.size = d.arg[:0], true, 0
		d.sink.Request(d.n, d.args, true)
		d.args = d.args[:0]
	} else {
		d.size = 0
		d.sink.Request(d.n, d.args, true)
		d.args = append(d.args[:0], recording.Arg{}) // the argument is complete: the next piece adds nothing to it
	}
	d.spilled = true
}

// request ends a request.
func (d *Dialogue) request() {
	if d.unparsed {
		return
	}
	p := pending{n: d.n, name: d.name, sub: d.sub, args: d.count}
	switch {
	case d.dropping:
		p.hide = true
		d.args = append(d.args[:min(1, len(d.args))], recording.Arg{Redacted: true})
	case !d.spilled:
		if !d.o.Secrets {
			p.secrets, p.hide = redact(d.table, d.args)
		}
		d.markScript()
	}
	d.followMulti(&p)
	d.waiting = append(d.waiting, p)
	d.sink.Request(d.n, d.args, false)
	d.n++
	if d.size > d.o.Piece {
		d.arg = nil
	}
	clear(d.args)
	d.args, d.arg, d.size, d.count = d.args[:0], d.arg[:0], 0, 0
	d.spilled, d.dropping = false, false
	if len(d.waiting) >= manyWaiting && !d.multi && (!d.frame.begun || d.frame.class == push) {
		d.skipAllSilent()
	}
}

// manyWaiting is the number of requests from which on those after CLIENT REPLY OFF are not kept any
// more until the server says something: by then it has accepted that command or refused it.
const manyWaiting = 1 << 16

// followMulti notes what the reply of an EXEC depends on.
func (d *Dialogue) followMulti(p *pending) {
	switch p.name {
	case "MULTI":
		if !d.multi {
			d.multi, d.multiHide, d.multiSubs = true, false, false
		}
	case "EXEC", "DISCARD", "RESET":
		if d.multi && p.name == "EXEC" {
			p.hide, p.subscribes = p.hide || d.multiHide, d.multiSubs
		}
		d.multi = false
	default:
		_, begins, _ := topic([]byte(p.name))
		// An error among the replies of EXEC may repeat a password.
		d.multiHide = d.multiHide || p.hide || len(p.secrets) > 0
		d.multiSubs = d.multiSubs || begins
	}
}

// markScript marks the argument that is the text of a script.
func (d *Dialogue) markScript() {
	if len(d.args) < 2 {
		return
	}
	spec := d.table.Resolve([]string{d.args[0].Text, d.args[1].Text})
	if spec == nil || spec.LuaText == 0 {
		return
	}
	at := spec.LuaText
	if at == cmdtable.LastArgument {
		at = len(d.args) - 1
	}
	if at > 0 && at < len(d.args) && len(d.args[at].Text) >= shortScript {
		d.args[at].Script = true
	}
}

// shortScript is the length from which a script is written once.
const shortScript = 48
