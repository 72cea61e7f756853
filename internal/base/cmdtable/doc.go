// Package cmdtable describes commands. A [Spec] is the row of one command: name, arity, flags, ACL
// categories, keys, syntax and documentation. A [Table] holds the rows of one version of Redis.
//
// COMMAND, ACL categories, the checks of the gate, cluster slots, completion, hints and the linter
// are derived from the rows. The package has no state and knows neither the keyspace nor clients.
// The packages under internal/core/commands declare the rows; package internal/core/server runs
// them.
package cmdtable
