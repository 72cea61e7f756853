// Package replication implements the commands about masters and replicas, for a master that never
// has a replica.
package replication
