package rdbfile

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/redmoon-lua/redmoon/datastore"
)

// LogForm says in which way servers differ in what they log. The zero value is Redis.
type LogForm struct {
	Kinds  bool // name the kind of server that has written the file, as in Valkey since 8.0
	Fields bool // count hashes whose fields have all expired, as in Valkey since 9.0
}

// Log logs what Redis logs about a file that has been loaded.
func (l *Loaded) Log(log *slog.Logger, now time.Time, form LogForm) {
	for _, line := range l.origin(now, form) {
		log.Info(line)
	}
	for _, key := range l.EmptyKeys {
		log.Warn("rdbLoadObject skipping empty key: " + key)
	}
	done := fmt.Sprintf("Done loading RDB, keys loaded: %d, keys expired: %d", l.Keys, l.Expired)
	if form.Fields {
		done += fmt.Sprintf(", all fields expired hashes: %d", l.Timed)
	}
	if l.Empty > 0 {
		log.Warn(fmt.Sprintf("%s, empty keys skipped: %d.", done, l.Empty))
		return
	}
	log.Info(done + ".")
}

// origin returns the lines about how the file came to be.
func (l *Loaded) origin(now time.Time, form LogForm) []string {
	var lines []string
	switch {
	case l.RedisVersion != "" && form.Kinds:
		lines = append(lines, "Loading RDB produced by Redis version "+l.RedisVersion)
	case l.RedisVersion != "":
		lines = append(lines, "Loading RDB produced by version "+l.RedisVersion)
	case l.ValkeyVersion != "" && form.Kinds:
		lines = append(lines, "Loading RDB produced by Valkey version "+l.ValkeyVersion)
	}
	if !l.Created.IsZero() {
		lines = append(lines, fmt.Sprintf("RDB age %d seconds", max(0, now.Unix()-l.Created.Unix())))
	}
	lines = append(lines, fmt.Sprintf("RDB memory usage when created %.2f Mb", float64(l.UsedMemory)/(1<<20)))
	if l.AOFBase {
		lines = append(lines, "RDB is base AOF")
	}
	return lines
}

// Complaint returns the line that Redis logs about a damaged file, for a store with so many
// databases. It returns "" for other errors. orderly reports whether Redis ends in an orderly way
// then.
func Complaint(err error, databases int) (line string, orderly bool) {
	var damage *datastore.FileError
	if !errors.As(err, &damage) {
		return "", false
	}
	line = damage.Err.Error()
	switch {
	case errors.Is(damage.Err, datastore.ErrFileForeign), errors.Is(damage.Err, datastore.ErrFileUnknown):
		return damage.Text(), true
	case errors.Is(damage.Err, datastore.ErrFileDatabase):
		return fmt.Sprintf("FATAL: Data file was created with a Redis server configured to handle more than %d databases. Exiting\n",
			databases), false
	case !errors.Is(damage.Err, datastore.ErrFileSignature) && !errors.Is(damage.Err, datastore.ErrFileVersion):
		return line, false
	}
	return damage.Text(), true
}
