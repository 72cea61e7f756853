package persist

import (
	"errors"

	"github.com/redmoon-lua/redmoon/datastore/rdbfile"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/files"
	"github.com/redmoon-lua/redmoon/persist/internal/aof"
	"github.com/redmoon-lua/redmoon/persist/internal/manifest"
)

// The functions below log why a file cannot be loaded, with the lines of Redis. The error that the
// program gets says more: the offset, and what is wrong there.

// textFatalLoad follows the reason why dump.rdb cannot be loaded.
var textFatalLoad = errtext.Usual("Fatal error loading the DB: Invalid argument. Exiting.").
	Since("7.2.0", "Fatal error loading the DB, check server logs. Exiting.")

// reportedError is an error that the log has reported in full.
type reportedError struct{ error }

// Reported makes redmoon serve end without another log line.
func (reportedError) Reported() bool { return true }

func (e reportedError) Unwrap() error { return e.error }

// warnOfManifest logs what is wrong with the manifest, and returns err for the program.
func (f *fileSet) warnOfManifest(err error) error {
	var damage *manifest.Error
	if !errors.As(err, &damage) {
		return err
	}
	f.warning("\n*** FATAL AOF MANIFEST FILE ERROR ***\n")
	if damage.InLine {
		f.warning("Reading the manifest file, at line %d\n", damage.Line)
		f.warning(">>> '%s'\n", damage.Text)
	}
	f.warning("%s\n", damage.Reason)
	return reportedError{err}
}

func (f *fileSet) warnOfPart(err error, isLast bool) {
	var damage *aof.Error
	switch {
	case !errors.As(err, &damage):
	case damage.Damage == aof.Corrupt:
		f.warning("Bad file format reading the append only file %s: make a backup of your AOF file, then use "+
			"./redis-check-aof --fix <filename.manifest>", damage.Name)
	case damage.Damage == aof.Unreadable:
		f.warning("Unrecoverable error reading the append only file %s: %s", damage.Name, files.Strerror(damage.Err))
	case !isLast:
		f.warning("Fatal error: the truncated file is not the last file")
	}
}

// warnOfRDB logs the damage of an RDB file. It reports whether Redis ends in an orderly way then.
func (f *fileSet) warnOfRDB(err error) (orderly bool) {
	line, orderly := rdbfile.Complaint(err, f.s.Store.Databases())
	if line != "" {
		f.warning("%s", line)
	}
	return orderly
}
