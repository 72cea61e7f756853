// Package debuggingcmds implements DEBUG: it looks inside values, saves and reloads the keyspace in
// memory, and changes how the server behaves in tests.
package debuggingcmds
