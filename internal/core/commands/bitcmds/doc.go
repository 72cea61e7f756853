// Package bitcmds implements the commands on bitmaps and HyperLogLogs, which are strings.
package bitcmds
