package engine

// KeyPolicy says what becomes of a command of a script that uses a key that is not in KEYS.
//
// Redis runs such a command on a single server. On a Redis Cluster it may fail, and users whose
// rights name keys (ACL) may get an error in the middle of a script. The keys of a command are
// those of COMMAND GETKEYS, in whatever database. The patterns of SORT BY and SORT GET stand for
// keys that are not in KEYS. Commands that name no key (KEYS, SCAN, RANDOMKEY, FLUSHALL) are not
// concerned.
type KeyPolicy uint8

const (
	// AnyKeys lets scripts use any keys.
	AnyKeys KeyPolicy = iota
	// WarnKeys logs a warning that names the script and the key. Of each script, the first 10 keys are
	// logged.
	WarnKeys
	// RefuseKeys makes the command an error, which names the key. redis.pcall catches it.
	RefuseKeys
)
