// Package hashcmds implements the commands on hashes.
package hashcmds
