// Package config holds the configuration parameters: their names, types, defaults and values.
//
// Each parameter is a row (params*.go). CONFIG GET, SET and REWRITE and docs/dropin.md are derived
// from the rows. The goroutine that owns the keyspace owns a [Config].
package config
