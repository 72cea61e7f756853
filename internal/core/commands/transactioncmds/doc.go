// Package transactioncmds implements MULTI, EXEC, DISCARD, WATCH and UNWATCH.
package transactioncmds
