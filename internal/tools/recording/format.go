package recording

import (
	"errors"
	"fmt"
	"time"
)

// Version is the version of the format that is written, and the latest that is read.
const Version = 1

// Limits of a file. A writer keeps well below them.
const (
	maxLine = 4 << 20 // bytes of a line
	// MaxPending is the number of bytes of requests and replies whose last piece has not been read.
	MaxPending = 1 << 30
	maxTexts   = 256 << 20 // bytes of the texts of all scripts
	maxConns   = 1 << 17   // connections that are open at the same time
)

// Header is the first line of a recording.
type Header struct {
	Version int       `json:"redmoon_recording"`
	Started time.Time `json:"started"` // by the clock of the recorder; times of events count from here
	Target  string    `json:"target"`  // address of the server, without user and password

	// What the recorder has asked the server at the start; empty if the server did not answer.
	Server  string `json:"server,omitempty"` // version, such as 7.0.15
	Cluster bool   `json:"cluster,omitempty"`
	// ClockAhead is by how many microseconds the clock of the server is ahead of the recorder's.
	// ClockError is by how many the true value may differ.
	ClockAhead int64 `json:"clock_ahead_us"`
	ClockError int64 `json:"clock_error_us"`
	// Config holds parameters that decide replies, such as hash-max-listpack-entries.
	Config map[string]string `json:"config,omitempty"`

	Data *Data `json:"data,omitempty"` // nil: the keys at the start are not recorded
}

// Data is the file of the keys that the server had at the start.
type Data struct {
	File   string   `json:"file"` // name of an RDB file in the folder of the recording
	Keys   int      `json:"keys"`
	SHA256 string   `json:"sha256"`          // of the file, in hexadecimal
	Match  []string `json:"match,omitempty"` // patterns of the keys; none: all keys
}

// Kind is the kind of an [Event].
type Kind uint8

// The kinds.
const (
	Open        Kind = iota + 1 // a client has connected
	Request                     // a request is complete
	ReplyBegins                 // the first byte of a reply has come; the Reply comes later
	Reply                       // a reply is complete
	Silent                      // the request has no reply (CLIENT REPLY OFF)
	Push                        // the server has sent something that is not a reply
	Unparsed                    // the rest of the connection is not recorded
	Close                       // the connection has ended
	End                         // the recording has ended
)

// Event is something that has happened on a connection.
type Event struct {
	Kind Kind
	Seq  int64         // number of the line; of a Reply, of its first line
	At   time.Duration // since Header.Started
	Conn int64         // number of the connection, from 1
	N    int64         // number of the request on its connection, from 1

	Addr     string   // of Open: address of the client
	Args     []string // of Request
	Redacted []int    // of Request: indexes of arguments that are not recorded
	Raw      string   // of Reply and Push: bytes in RESP
	Cut      *Cut     // of Reply: the reply is longer than Raw; else nil
	Hidden   bool     // of Reply: it is not recorded, because it has a password
	Why      string   // of Unparsed, Close and End
}

// Cut describes a reply of which only the beginning is recorded.
type Cut struct {
	Size   int64
	SHA256 string // of all bytes, in hexadecimal
}

// Redacted stands in [Event].Args for an argument that is not recorded.
const Redacted = "(redacted)"

// The reasons of Close and End.
const (
	ByClient   = "client"   // the client has closed the connection
	ByServer   = "server"   // the server has
	ByRecorder = "recorder" // the recorder has ended
	NoServer   = "no server"

	Interrupted = "interrupted"
	MaxSize     = "max-size"
)

// ErrTorn is wrapped by the error of a file that ends within a line: the recorder was killed, or
// still runs.
var ErrTorn = errors.New("the recording ends within a line")

// DamageError is the error of a line that no recorder writes.
type DamageError struct {
	Line   int64 // number of the line, from 1
	Reason string
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("the recording is damaged: line %d: %s", e.Line, e.Reason)
}
