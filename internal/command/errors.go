package command

// Redis's error texts: each stands here once.
const (
	errWrongType     = "WRONGTYPE Operation against a key holding the wrong kind of value"
	errSyntax        = "ERR syntax error"
	errNotInteger    = "ERR value is not an integer or out of range"
	errNotInt32      = "ERR value is out of range, value must between -2147483648 and 2147483647"
	errNotFloat      = "ERR value is not a valid float"
	errOutOfRange    = "ERR index out of range"
	errNoSuchKey     = "ERR no such key"
	errNoScript      = "NOSCRIPT No matching script. Please use EVAL."
	errExecAbort     = "EXECABORT Transaction discarded because of previous errors."
	errNoAuth        = "NOAUTH Authentication required."
	errOverflow      = "ERR increment or decrement would overflow"
	errDBIndex       = "ERR DB index is out of range"
	errSameObject    = "ERR source and destination objects are the same"
	errStringTooLong = "ERR string exceeds maximum allowed size (proto-max-bulk-len)"
	errInvalidCursor = "ERR invalid cursor"
	errBusyKey       = "BUSYKEY Target key name already exists."
	errNaNInfinity   = "ERR increment would produce NaN or Infinity"
)

// Those of the gate.
const (
	errExecAbortOf     = "EXECABORT Transaction discarded because of: "
	errOutOfMemory     = "OOM command not allowed when used memory > 'maxmemory'."
	errUnknownInScript = "ERR Unknown Redis command called from script"
)

// Those of counts and numbers of keys.
const (
	errNotPositive   = "ERR value is out of range, must be positive"
	errRange         = "ERR value is out of range"
	errCountRange    = "ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807"
	errNumKeys       = "ERR numkeys should be greater than 0"
	errHashNotInt    = "ERR hash value is not an integer"
	errHashNotFloat  = "ERR hash value is not a float"
	errLimitNegative = "ERR LIMIT can't be negative"
)

// Those of bits and HyperLogLogs.
const (
	errBitOffset    = "ERR bit offset is not an integer or out of range"
	errNotHLL       = "WRONGTYPE Key is not a valid HyperLogLog string value."
	errCorruptedHLL = "INVALIDOBJ Corrupted HLL object detected"
)

// Those of sorted sets and time-outs.
const (
	errNotScoreRange   = "ERR min or max is not a float"
	errNotLexRange     = "ERR min or max not valid string range item"
	errTimeoutNotFloat = "ERR timeout is not a float or out of range"
	errTimeoutNegative = "ERR timeout is negative"
	errDumpFooter      = "ERR DUMP payload version or checksum are wrong"
	errTimeoutNotInt   = "ERR timeout is not an integer or out of range"
)
