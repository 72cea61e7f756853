// Package streamcmds implements the commands on streams and consumer groups.
package streamcmds
