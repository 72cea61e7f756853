// Package streams implements the commands on streams and consumer groups.
package streams
