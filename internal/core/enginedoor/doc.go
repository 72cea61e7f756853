// Package enginedoor gives this module's own packages and tests what packages engine and persist do
// not export: servers run batches of commands through it, tests reach the keyspace, an engine
// reaches its files.
//
// A type with a door embeds a [Hinge], under an unexported alias. Hinge has one method, which is
// unexported too, so only [Of] can call it, and only packages of this module can call Of:
//
//	enginedoor.Of(e).Limits()                // e is an *engine.Engine
//	enginedoor.Of(session).RunBatch(ctx, &b) // session is an *engine.Session
//
// [Engine], [Session] and [Files] are the doors. This package cannot import package engine, which
// imports it, so the types of an engine and a session are type parameters of the door.
package enginedoor

// Hinge holds a door of type D for the type that embeds it.
type Hinge[D any] struct{ door D }

// NewHinge returns a hinge with a door. The type that embeds it sets it when it makes a value.
func NewHinge[D any](door D) Hinge[D] { return Hinge[D]{door} }

func (h *Hinge[D]) open() D { return h.door }

// Has is implemented by the types that embed a [Hinge] with a door of type D, and by no others.
type Has[D any] interface{ open() D }

// Of returns the door of h.
func Of[D any](h Has[D]) D { return h.open() }
