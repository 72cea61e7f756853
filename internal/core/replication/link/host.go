package link

import (
	"io"
	"time"
)

// Host is the replica that a link serves. The goroutine of the link calls it. An error ends the
// connection; the link then tries again, unless it has been stopped.
type Host interface {
	// Hello returns where to connect to and how to introduce the replica. It is called before each
	// attempt.
	Hello() (Hello, error)
	// Continue is called when the master goes on from the position in the last Hello. id is the
	// master's replication ID, or "" if it has not changed.
	Continue(id string) error
	// Rejected is called when the server that Hello.Failover asks to be the master does not become it.
	Rejected()
	// FullSync is called when the master has decided to send a copy of its data set, before that is
	// ready.
	FullSync(s Sync) error
	// Load reads the copy, an RDB file, from r until io.EOF. The size in s is known now.
	Load(s Sync, r io.Reader) error
	// Apply runs commands of the master and returns the offset up to which everything has been run.
	Apply(b *Batch) (offset int64, err error)
	// Lost is called when a connection that had reached [Streaming] or a part of a copy has ended.
	// again is false if the position of the replica means nothing any more, because the master has
	// violated the protocol.
	Lost(err error, again bool)
	// Changed is called when the state of the link changes.
	Changed(s State)
}

// Hello is how a replica introduces itself to its master.
type Hello struct {
	Host           string // name or address of the master
	Port           int
	User, Password string        // of masteruser and masterauth; Password "": no AUTH
	ListeningPort  int           // of the replica itself
	AnnounceIP     string        // of replica-announce-ip; may be ""
	Timeout        time.Duration // of repl-timeout: the longest silence of the master
	Failover       bool          // the server must become the master before it decides what to send
	TLS            bool          // of tls-replication
	Resume         bool          // go on with the history ReplID, whose first missing byte is Offset
	ReplID         string
	Offset         int64
}

// Sync describes a copy of the master's data set.
type Sync struct {
	// ID and Offset are the history that begins after the copy. If ID is "", the master is too old to
	// have one.
	ID     string
	Offset int64
	Size   int64 // bytes; -1 until it is known, and if the master streams the copy
	Marked bool  // the master streams the copy and marks its end
}

// Batch is a part of the stream of commands of the master.
type Batch struct {
	Commands [][]string
	Ends     []int  // of each command: the length of Raw up to its end
	Raw      []byte // the bytes of the commands, as the master sent them; valid until Apply returns
}

// State is how far a link has come.
type State uint8

// The states.
const (
	Waiting     State = iota // for the next attempt to connect
	Connecting               // until the connection stands
	Handshaking              // until the master has decided what to send
	Receiving                // the copy
	Streaming                // commands
)

// String returns the name of the state as ROLE gives it.
func (s State) String() string {
	return [...]string{"connect", "connecting", "handshake", "sync", "connected"}[s]
}
