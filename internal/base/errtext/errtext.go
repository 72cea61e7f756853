package errtext

import (
	"strings"
)

// Error texts of commands of several types.
const (
	WrongType     = "WRONGTYPE Operation against a key holding the wrong kind of value"
	Syntax        = "ERR syntax error"
	NotInteger    = "ERR value is not an integer or out of range"
	NotInt32      = "ERR value is out of range, value must between -2147483648 and 2147483647"
	NotFloat      = "ERR value is not a valid float"
	OutOfRange    = "ERR index out of range"
	NoSuchKey     = "ERR no such key"
	ExecAbort     = "EXECABORT Transaction discarded because of previous errors."
	NoAuth        = "NOAUTH Authentication required."
	Overflow      = "ERR increment or decrement would overflow"
	DBIndex       = "ERR DB index is out of range"
	SameObject    = "ERR source and destination objects are the same"
	StringTooLong = "ERR string exceeds maximum allowed size (proto-max-bulk-len)"
	InvalidCursor = "ERR invalid cursor"
	BusyKey       = "BUSYKEY Target key name already exists."
	NaNInfinity   = "ERR increment would produce NaN or Infinity"
)

// Error texts of the gate.
const (
	ExecAbortOf     = "EXECABORT Transaction discarded because of: "
	Loading         = "LOADING Redis is loading the dataset in memory"
	NoReplicas      = "NOREPLICAS Not enough good replicas to write."
	OutOfMemory     = "OOM command not allowed when used memory > 'maxmemory'."
	ReadOnlyReplica = "READONLY You can't write against a read only replica."
	MasterDown      = "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'."
	RoleChanged     = "UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)"
	StaleInScript   = "ERR Can not execute the command on a stale replica"
)

// Error texts of commands that a script calls, and of missing scripts.
var (
	UnknownInScript = Usual("ERR Unknown Redis command called from script").Since("-/8.0.0", "ERR Unknown command called from script")
	ArityInScript   = Usual("ERR Wrong number of args calling Redis command from script").
			Since("-/8.0.0", "ERR Wrong number of args calling command from script")
	NotInScript = Usual("ERR This Redis command is not allowed from script").
			Since("-/9.1.0", "ERR This Valkey command is not allowed from script")
	NoScript = Usual("NOSCRIPT No matching script. Please use EVAL.").Since("-/8.0.0", "NOSCRIPT No matching script.")
)

// Error texts about counts and numbers of keys.
const (
	NotZeroOrOne  = "ERR value is out of range, value must between 0 and 1"
	NotPositive   = "ERR value is out of range, must be positive"
	Range         = "ERR value is out of range"
	CountRange    = "ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807"
	NumKeys       = "ERR numkeys should be greater than 0"
	HashNotInt    = "ERR hash value is not an integer"
	HashNotFloat  = "ERR hash value is not a float"
	LimitNegative = "ERR LIMIT can't be negative"
	BadSlot       = "ERR Invalid or out of range slot"
)

// Error texts of bitmaps and HyperLogLogs.
const (
	BitOffset    = "ERR bit offset is not an integer or out of range"
	NotHLL       = "WRONGTYPE Key is not a valid HyperLogLog string value."
	CorruptedHLL = "INVALIDOBJ Corrupted HLL object detected"
)

// Error texts of sorted sets, timeouts and dumps.
const (
	NotScoreRange   = "ERR min or max is not a float"
	NotLexRange     = "ERR min or max not valid string range item"
	TimeoutNotFloat = "ERR timeout is not a float or out of range"
	TimeoutNegative = "ERR timeout is negative"
	TimeoutRange    = "ERR timeout is out of range"
	DumpFooter      = "ERR DUMP payload version or checksum are wrong"
	TimeoutNotInt   = "ERR timeout is not an integer or out of range"
)

// NoFiles is the error of commands that would write a file of the data set.
const NoFiles = "ERR there is no file to save to: the data set lives in memory"

// DebugRefused is the error of DEBUG when enable-debug-command does not allow it.
const DebugRefused = `ERR DEBUG command not allowed. If the enable-debug-command option is set to "local", you can run it from a local ` +
	`connection, otherwise you need to set this option in the configuration file, and then restart the server.`

// Cut returns at most n bytes of s, up to the first NUL byte, as C's %.*s does.
func Cut(s string, n int) string {
	if i := strings.IndexByte(s, 0); i >= 0 {
		s = s[:i]
	}
	return s[:min(n, len(s))]
}

// OneLine replaces the bytes that would end an error line by spaces.
func OneLine(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r", " "), "\n", " ")
}
