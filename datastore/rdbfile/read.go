package rdbfile

import (
	"errors"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/datastore"
)

// The auxiliary fields.
const (
	auxVersion    = "redis-ver"
	auxValkey     = "valkey-ver"
	auxBits       = "redis-bits"
	auxCreated    = "ctime"
	auxMemory     = "used-mem"
	auxReplDB     = "repl-stream-db"
	auxReplID     = "repl-id"
	auxReplOffset = "repl-offset"
	auxBase       = "aof-base"
)

// Info is what a file says about itself.
type Info struct {
	Version      int    // of the format
	RedisVersion string // "" is unknown
	// ValkeyVersion is set, and RedisVersion is not, if Valkey has written the file.
	ValkeyVersion string
	Created       time.Time // zero is unknown
	UsedMemory    int64     // bytes; 0 is unknown
	AOFBase       bool      // the file is the base of an append-only file
	Replication   Replication
	// Notes are the fields whose name begins with %, which Redis prints when it loads the file.
	Notes []datastore.Aux
	// Other are the fields that nobody knows.
	Other []datastore.Aux
}

// Note takes an auxiliary field. A number that is none counts as 0, as in Redis.
func (i *Info) Note(name, value string) {
	n, _ := strconv.ParseInt(value, 10, 64)
	switch name {
	case auxVersion:
		i.RedisVersion = value
	case auxValkey:
		i.ValkeyVersion = value
	case auxBits, "aof-preamble", "lua":
	case auxCreated:
		i.Created = time.Unix(n, 0)
	case auxMemory:
		i.UsedMemory = n
	case auxReplDB:
		i.Replication.DB = int(n)
	case auxReplID:
		i.Replication.ID = value
	case auxReplOffset:
		i.Replication.Offset = n
	case auxBase:
		i.AOFBase = n != 0
	default:
		list := &i.Other
		if strings.HasPrefix(name, "%") {
			list = &i.Notes
		}
		if len(*list) < maxNotes {
			*list = append(*list, datastore.Aux{Name: name, Value: value})
		}
	}
}

// maxNotes is the number of fields that Info keeps of each sort.
const maxNotes = 100

// Reading says how a file is read. The zero value reads files of Redis 7.0 and earlier and verifies
// the checksum.
type Reading struct {
	Version      int   // latest version of the format; 0 means that of Redis 7.0; see also datastore.AnyVersion
	Relaxed      bool  // see datastore.FileReaderOptions
	Valkey       bool  // see datastore.FileReaderOptions
	SkipChecksum bool  // rdbchecksum no
	MaxText      int64 // longest string in bytes; 0 means datastore.DefaultMaxText
}

func (o Reading) file() datastore.FileReaderOptions {
	return datastore.FileReaderOptions{
		Version: o.Version, Relaxed: o.Relaxed, Valkey: o.Valkey, SkipChecksum: o.SkipChecksum, MaxText: o.MaxText,
	}
}

// Loading says how a file is loaded into a store.
type Loading struct {
	Reading
	// KeepExpired loads keys that have expired: a replica does, and the base of an append-only file
	// is loaded so.
	KeepExpired bool
	// Expired gets the keys that are left out because they have expired. Optional.
	Expired func(db int, key string)
	Replace bool // replace keys that are in the store; otherwise they are an error
	Idle    bool // keep the times since the last access (under an LRU policy)
	Freq    bool // keep the access frequencies (under an LFU policy)

	// Filter chooses the keys to load. Optional. The other keys are skipped without being built.
	Filter func(db int, key string) bool
	// Function gets the source texts of function libraries. Optional; an error ends the load.
	Function func(text string) error
	// Progress is called after about each 2 MiB, with the number of bytes read. Optional; an error
	// ends the load. It may look at the store, but not change it.
	Progress func(read int64) error
}

// Loaded says what a load did.
type Loaded struct {
	Info
	datastore.FileLoaded
	// Rest reads what follows the file in its source.
	Rest io.Reader
}

// Load puts the keys of the file that r reads into st. If it returns an error, the keys before the
// error have been loaded. For the errors see [datastore.Store.LoadFile].
func Load(r io.Reader, st *datastore.Store, o Loading) (Loaded, error) {
	var l Loaded
	done, rest, err := st.LoadFileFrom(r, datastore.FileLoadOptions{
		File: o.file(), KeepExpired: o.KeepExpired, Expired: o.Expired, Replace: o.Replace, Idle: o.Idle, Freq: o.Freq,
		Filter: o.Filter, Function: o.Function, Progress: o.Progress,
		Aux: func(name, value string) error { l.Note(name, value); return nil },
	})
	l.FileLoaded, l.Rest = done, rest
	l.Info.Version = done.Version
	return l, err
}

// Key is a key of a file. Its value is read by Elements or by Describe, one of them and once,
// before the loop over [Keys] goes on.
type Key struct {
	datastore.FileItem
	r *datastore.FileReader
}

// Describe reads the value and says what it is. The errors are those of loading it.
func (k *Key) Describe() (datastore.ValueInfo, error) { return k.r.Describe() }

// Elements is Describe, and calls each for each element of the value, until each returns false. The
// value is in memory meanwhile. Members of a sorted set come in its order, not in that of the file.
func (k *Key) Elements(each func(datastore.Element) bool) (datastore.ValueInfo, error) {
	return k.r.Elements(each)
}

// Keys returns a loop over the keys of the file that r reads, and the place where the loop writes
// what the file says about itself before the first key. The loop ends after the first error, which
// comes with a nil key. The functions in the file are passed to function, which may be nil.
func Keys(r io.Reader, o Reading, function func(text string)) (*Info, iter.Seq2[*Key, error]) {
	info, f := &Info{}, datastore.NewFileReader(r, o.file())
	return info, func(yield func(*Key, error) bool) {
		for {
			it, err := f.Next()
			info.Version = f.Version()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
			switch it.Kind {
			case datastore.FileAux:
				info.Note(it.Name, it.Value)
			case datastore.FileFunction:
				if function != nil {
					function(it.Value)
				}
			case datastore.FileKey:
				if !yield(&Key{*it, f}, nil) {
					return
				}
			}
		}
	}
}
