// Package clustercmds implements CLUSTER, ASKING, READONLY and READWRITE.
package clustercmds
