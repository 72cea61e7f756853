package enginedoor

import (
	"errors"
	"io"

	"github.com/redmoon-lua/redmoon/internal/core/config"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// SessionInfo describes the connection of a session. A session without Receive is a session in
// process, like that of engine.Engine.NewSession.
//
// The engine calls the functions Kill, Use, Receive and TakeOver on its own goroutine: they must
// not wait and must not call the engine (engine.ErrReentrant).
type SessionInfo struct {
	Addr  string // the peer's address, as CLIENT LIST shows it
	LAddr string // the server's own address
	// Descriptor is the number of the connection's file descriptor, for CLIENT LIST. 0: none.
	Descriptor int
	// Kill closes the connection (CLIENT KILL). Used only with Receive.
	Kill func()
	// Remote says that the peer is on another machine: protected-mode may refuse it.
	Remote bool
	// Activity returns a number that grows whenever the connection reads or writes. The engine closes
	// a connection that is idle for longer than the parameter timeout. Activity must be safe for
	// concurrent use. Nil: the session is never idle.
	Activity func() int64
	// Use returns the memory that the connection holds. Nil: it is not known. Used only with Receive.
	Use func() ConnUse
	// Receive takes a message, to be sent in protocol proto (2 or 3), and returns how many bytes are
	// waiting to be sent. From the first subscription on it also takes all replies, which then no
	// longer come with their batch, so that messages and replies keep their order. If the waiting
	// bytes reach limit (0: no limit), nothing more is sent; the engine then calls Kill. Nil:
	// engine.Session.Messages delivers the messages.
	Receive func(v reply.Value, proto int, limit int64) (waiting int64)
	// TakeOver hands the output of the connection over, for a client that becomes a replica: when the
	// replies of the engine's earlier commands have been sent, it calls send on a goroutine of its
	// own, and closes the connection when send returns. over is closed when the connection ends. Nil:
	// the client cannot become a replica.
	TakeOver func(send func(w io.Writer, over <-chan struct{}))
	// Debugs says that the caller of RunBatch runs the scripts that SCRIPT DEBUG hands over; see
	// [Batch].Debug.
	Debugs bool
}

// ConnUse is the memory that a connection holds for its session, and its traffic, in bytes.
type ConnUse = server.ConnUse

// Limits are the parameters that limit the connections of a server, such as maxclients and
// client-query-buffer-limit.
type Limits = config.ConnLimits

// ErrRefused is wrapped by the error of OpenSession if protected-mode refuses the connection. The
// error's text is the error reply for the client.
var ErrRefused = errors.New("redmoon: connection refused")
