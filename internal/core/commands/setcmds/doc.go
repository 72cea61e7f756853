// Package setcmds implements the commands on sets.
package setcmds
