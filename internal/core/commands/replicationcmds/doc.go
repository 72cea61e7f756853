// Package replicationcmds implements the commands about masters and replicas, with the state in
// internal/core/replication.
package replicationcmds
