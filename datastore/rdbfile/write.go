package rdbfile

import (
	"io"
	"strconv"
	"time"

	"github.com/redmoon-lua/redmoon/datastore"
)

// DefaultRedisVersion is what a file says about the version of Redis that has written it, if the
// options do not.
const DefaultRedisVersion = "7.0.15"

// Writing says how a file is written. The zero value works.
type Writing struct {
	RedisVersion  string    // the field redis-ver; "" means DefaultRedisVersion
	ValkeyVersion string    // the field valkey-ver, which stands in the place of redis-ver
	Created       time.Time // the field ctime
	UsedMemory    int64     // the field used-mem, bytes
	AOFBase       bool      // the file is the base of an append-only file
	Replication   *Replication

	Compress   bool // rdbcompression
	NoChecksum bool // rdbchecksum no
	Version    int  // of the format; 0 means that of Redis 7.0
	Usage      datastore.FileUsage
	Functions  []string // the source texts of the function libraries
	Commands   bool     // see datastore.FileOptions
	Head       string   // see datastore.FileOptions
}

// Replication is where a replica continues after it has loaded a file.
type Replication struct {
	DB     int    // selected database of the stream
	ID     string // replication ID
	Offset int64
}

// aux returns the auxiliary fields, in the order of Redis.
func (o *Writing) aux() []datastore.Aux {
	version := datastore.Aux{Name: auxVersion, Value: o.RedisVersion}
	switch {
	case o.ValkeyVersion != "":
		version = datastore.Aux{Name: auxValkey, Value: o.ValkeyVersion}
	case o.RedisVersion == "":
		version.Value = DefaultRedisVersion
	}
	fields := []datastore.Aux{
		version,
		{Name: auxBits, Value: "64"},
		{Name: auxCreated, Value: strconv.FormatInt(o.Created.Unix(), 10)},
		{Name: auxMemory, Value: strconv.FormatInt(o.UsedMemory, 10)},
	}
	if r := o.Replication; r != nil {
		fields = append(fields, datastore.Aux{Name: auxReplDB, Value: strconv.Itoa(r.DB)},
			datastore.Aux{Name: auxReplID, Value: r.ID},
			datastore.Aux{Name: auxReplOffset, Value: strconv.FormatInt(r.Offset, 10)})
	}
	base := "0"
	if o.AOFBase {
		base = "1"
	}
	return append(fields, datastore.Aux{Name: auxBase, Value: base})
}

func (o *Writing) file() datastore.FileOptions {
	return datastore.FileOptions{
		Dump:       datastore.DumpOptions{Compress: o.Compress, Version: o.Version},
		NoChecksum: o.NoChecksum,
		Usage:      o.Usage,
		Aux:        o.aux(),
		Functions:  o.Functions,
		Commands:   o.Commands,
		Head:       o.Head,
	}
}

// Write writes the keyspace of st to w in one go, as SAVE does. The error is that of w.
func Write(w io.Writer, st *datastore.Store, o Writing) error { return st.WriteFile(w, o.file()) }

// Begin begins to write the keyspace of st, as it is now, in steps; see
// [datastore.Store.BeginImage] for w and the errors.
func Begin(w io.Writer, st *datastore.Store, o Writing) (*datastore.Image, error) {
	return st.BeginImage(w, o.file())
}

// FileOptions returns o in the form that package datastore takes.
func (o *Writing) FileOptions() datastore.FileOptions { return o.file() }
