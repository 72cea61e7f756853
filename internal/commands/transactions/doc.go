// Package transactions implements MULTI, EXEC, DISCARD, WATCH and UNWATCH.
package transactions
