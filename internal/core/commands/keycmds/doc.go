// Package keycmds implements the commands on keys of any type: DEL, EXPIRE, SCAN, SORT, DUMP,
// OBJECT and the like.
package keycmds
