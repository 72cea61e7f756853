package server

import "github.com/redmoon-lua/redmoon/reply"

// Owner is what a server needs of the engine around it. All methods are called on the loop, and
// none may wait, unless they say otherwise. [NoOwner] is one that does nothing.
type Owner interface {
	// Monotonic returns a monotonic time in nanoseconds, by which commands are measured.
	Monotonic() int64
	// Wait pauses the loop for so many microseconds of its clock (DEBUG SLEEP).
	Wait(micros int64)

	// MayShutdown reports whether SHUTDOWN ends the program. Shutdown is then called when a client has
	// sent it.
	MayShutdown() bool
	Shutdown()

	// KillScript ends the running script or function with an error line. The position in the script
	// follows reason.
	KillScript(reason string)
	// ScriptMillis returns for how many ms the running script has run, as far as it is known.
	ScriptMillis() int64
	// HotLine returns the line of the last script or function that took longest, for the log; "": it
	// was not measured.
	HotLine() string
	// Aside runs f, which waits for another server while a script waits for it. Others are served
	// meanwhile. It calls cancel when the script is to end.
	Aside(cancel, f func())

	// LongText is the length in bytes from which CompileLater is called for a text.
	LongText() int
	// CompileLater starts to compile the text of a script or, if library is set, of a function
	// library, on another goroutine. It calls done on the loop when the text is compiled. It returns
	// nil if no compilation is needed; otherwise leave must be called if the command is given up
	// before done.
	CompileLater(text string, library bool, done func()) (leave func())
	// KillCompiler stops the compilation of a script or, if function is set, of a library. It returns
	// false if there is none.
	KillCompiler(function bool) bool

	// HasUnsentReplies reports whether replies to earlier commands of a session have not been sent
	// yet.
	HasUnsentReplies(sess *Session) bool
	// BecameAsync is called when a session becomes asynchronous although it runs no command. Replies
	// to its running batch must then go through Receive first.
	BecameAsync(sess *Session)
	// Hold keeps send back until the append-only file is safe. It returns false if send may be called
	// now. It is called with persistence only.
	Hold(send func()) bool
	// Panicked logs a panic in a command and returns the error reply.
	Panicked(p any, command string) reply.Value

	// ServeOthers serves the requests that wait while the data set is being loaded. It may wait.
	ServeOthers()

	// These schedule a call, on the loop and in turn with requests: StepImageSoon of StepImage until
	// that returns false, from any goroutine; EvictSoon of Evict; TrimSoon of TrimTracked, hz times a
	// second; CheckClientsSoon of CheckClients and CloseSocketsSoon of CloseIdleSockets, in about a
	// second.
	StepImageSoon()
	EvictSoon()
	TrimSoon()
	CheckClientsSoon()
	CloseSocketsSoon()
}

// NoOwner is the Owner of a server without an engine: time stands, and nothing happens later.
type NoOwner struct{}

func (NoOwner) Monotonic() int64                                 { return 0 }
func (NoOwner) Wait(int64)                                       {}
func (NoOwner) MayShutdown() bool                                { return false }
func (NoOwner) Shutdown()                                        {}
func (NoOwner) KillScript(string)                                {}
func (NoOwner) ScriptMillis() int64                              { return 0 }
func (NoOwner) HotLine() string                                  { return "" }
func (NoOwner) Aside(_, f func())                                { f() }
func (NoOwner) LongText() int                                    { return 0 }
func (NoOwner) CompileLater(string, bool, func()) (leave func()) { return nil }
func (NoOwner) KillCompiler(bool) bool                           { return false }
func (NoOwner) HasUnsentReplies(*Session) bool                   { return false }
func (NoOwner) BecameAsync(*Session)                             {}
func (NoOwner) Hold(func()) bool                                 { return false }
func (NoOwner) Panicked(p any, _ string) reply.Value             { panic(p) }
func (NoOwner) ServeOthers()                                     {}
func (NoOwner) StepImageSoon()                                   {}
func (NoOwner) EvictSoon()                                       {}
func (NoOwner) TrimSoon()                                        {}
func (NoOwner) CheckClientsSoon()                                {}
func (NoOwner) CloseSocketsSoon()                                {}
