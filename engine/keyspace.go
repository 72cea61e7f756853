package engine

import "github.com/redmoon-lua/redmoon/datastore"

// The keyspace, as [Engine.View] shows it.
type (
	Store  = datastore.Store
	DB     = datastore.DB
	Entry  = datastore.Entry
	Object = datastore.Object

	// The values that keys hold.
	String = datastore.String
	Hash   = datastore.Hash
	List   = datastore.List
	Set    = datastore.Set
	ZSet   = datastore.ZSet
	ZItem  = datastore.ZItem
	Stream = datastore.Stream

	// What a stream consists of.
	StreamID    = datastore.StreamID
	StreamEntry = datastore.StreamEntry
)
