// Package cluster implements CLUSTER, ASKING, READONLY and READWRITE.
package cluster
