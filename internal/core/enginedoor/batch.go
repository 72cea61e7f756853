package enginedoor

import (
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// Batch is a pipeline: commands that travel in one request and run one after the other, without
// commands of other callers in between, except while one of them is blocked. It may be used again
// when RunBatch has returned.
type Batch struct {
	// Commands are the commands, each with its name and arguments.
	Commands [][]string
	// Replies are the replies, in order. There are fewer than commands if Closed is set.
	Replies []reply.Value
	// Protos holds the protocol (2 or 3) in which to encode each reply. HELLO changes it, beginning
	// with its own reply.
	Protos []uint8
	// BytesIn and BytesOut are the bytes that a connection has read and written since its last batch.
	// INFO shows their sums. RunBatch sets them to zero.
	BytesIn, BytesOut int64
	// Reads and Writes count the connection's reads from and writes to its socket in the same way.
	Reads, Writes int64
	// StopAtBlock makes RunBatch return as soon as a command blocks (for example BLPOP), with Blocked
	// set. The next RunBatch of the same batch waits for that command and goes on; Replies are then
	// the remaining ones.
	StopAtBlock bool
	// Blocked is set by RunBatch if a command of the batch is blocked. Until the next RunBatch the
	// caller may change only Replies and Protos.
	Blocked bool
	// Closed is set if the session has ended (QUIT). The remaining commands were not run, and the
	// server must close the connection.
	Closed bool
	// Debug is set by RunBatch if the last command that ran is an EVAL to be debugged, which has no
	// reply yet. The caller must debug it, send the reply, and close the session; the commands behind
	// it are dropped. Only sessions with [SessionInfo].Debugs get it.
	Debug *DebugCall
	// Muted is set if the session drops the next reply (CLIENT REPLY).
	Muted bool
	// NoAuth is set if the session must still authenticate. A batch without commands sets it for a new
	// session.
	NoAuth bool

	// Loop is how far the engine has come with the batch. Only the loop touches it.
	Loop BatchLoop
}

// BatchLoop is the loop's part of a [Batch].
type BatchLoop struct {
	Next     int   // the command to run next
	Ahead    int   // the first command that has not been prefetched
	Answered int64 // number of times that RunBatch has returned the batch
	Taken    int64 // the last BytesIn
}

// Answered returns how many calls of RunBatch with this batch the engine has ended. Only
// [SessionInfo].Receive may call it.
func (b *Batch) Answered() int64 { return b.Loop.Answered }

// DebugCall is an EVAL or EVAL_RO of a client that has sent SCRIPT DEBUG YES or SYNC. The engine
// has not run the script: the server must run it under a debugger and send the reply.
type DebugCall struct {
	*server.HandedScript
	Proto int // the protocol of the reply, 2 or 3
}

// Call is the request of one session in a turn: a server that reads many connections on one
// goroutine submits all calls that have arrived to RunTurn of [Engine]. They run in the order of
// the list, for the cost of one hand-over. An idle loop needs no hand-over: RunTurn borrows it and
// runs the calls on the caller's goroutine.
//
// Make a Call with NewCall of [Session]. It may be used again after it has ended.
type Call struct {
	// Batch is run as by RunBatch of [Session]. If Close is set, its commands are not run and only its
	// counters of bytes and reads are used; it may then be nil.
	Batch *Batch
	// Close ends the session, as engine.Session.Close does.
	Close bool
	// Err is the error that RunBatch would return. It may be read after the call has ended.
	Err error
	// Late is set if the call had not ended when RunTurn returned. The engine then owns the call and
	// its batch until it calls the function done of NewCall.
	Late bool

	// Loop is the engine's part of the call. Only RunTurn and the loop touch it.
	Loop CallLoop
}

// CallLoop is the loop's part of a [Call].
type CallLoop struct {
	Pending Pending
	Ended   bool
}

// Pending is a [Call] as the engine sees it.
type Pending interface {
	// Submit prepares the call for a turn.
	Submit()
	// Take runs the call and the calls that can continue because of it.
	Take()
	// TakeBusy answers the call while a script is busy.
	TakeBusy()
	// Refuse ends the call with err; it has not run.
	Refuse(err error)
}
