package server

import (
	"github.com/redmoon-lua/redmoon/datastore"
)

// dataSet is the keyspace, and how it is loaded, saved and copied.
type dataSet struct {
	Store       *datastore.Store
	Loading     Loading
	Persistence Persistence // nil: the data set is in memory only
	images      images
	saved       int64 // Store.Dirty at the last save
}

// changes returns the number of changes since the last save (rdb_changes_since_last_save).
func (d *dataSet) changes() int64 { return d.Store.Dirty() - d.saved }

// NoteSaved sets the number of changes since the last save.
func (d *dataSet) NoteSaved(changes int64) { d.saved = d.Store.Dirty() - changes }
