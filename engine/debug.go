package engine

import (
	"errors"

	"github.com/redmoon-lua/redmoon/luabridge"
)

// What a debugger sees of a script that it has stopped.
type (
	// Debugger is told what a script does while it is run.
	Debugger = luabridge.Debugger
	// Stack is the functions that a script is in the middle of.
	Stack = luabridge.Stack
	// Frame is one function in progress.
	Frame = luabridge.Frame
	// FrameKind says what kind of function a frame is of.
	FrameKind = luabridge.FrameKind
	// Variable is a local, an upvalue or one of the values of ... .
	Variable = luabridge.Variable
	// LuaValue is a value of a script.
	LuaValue = luabridge.Value
	// LuaKind is what type() says of a value.
	LuaKind = luabridge.Kind
	// LuaField is one entry of a table.
	LuaField = luabridge.Field
)

var errUnbuilt = errors.New("unbuilt")

// Fork returns an engine of its own with all that e holds now: keys with their times, scripts, functions, the configuration, users; not the clients. Its clock is e's.
// The caller closes it.
func (e *Engine) Fork() (*Engine, error) { panic(errUnbuilt) }

// Fork is [Engine.Fork] with a session on the new engine that has the database, the user and the protocol of s.
func (s *Session) Fork() (*Engine, *Session, error) { panic(errUnbuilt) }

// Snapshot is what the databases of an engine held at one time.
type Snapshot struct{}

// Snapshot copies what the databases hold, at the price of all of it.
func (e *Engine) Snapshot() (*Snapshot, error) { panic(errUnbuilt) }

// Restore puts the databases back to what they held, which clients that watch or track keys are told as of FLUSHALL.
func (e *Engine) Restore(s *Snapshot) error { panic(errUnbuilt) }

// KeyChange is a key whose value or time to live differ.
type KeyChange struct {
	DB            int
	Key           string
	Before, After string // type, time to live and value, as text for people; "" where there is no key
}

// Changes are the keys that differ between s and now, by database and name.
func (e *Engine) Changes(s *Snapshot) ([]KeyChange, error) { panic(errUnbuilt) }
