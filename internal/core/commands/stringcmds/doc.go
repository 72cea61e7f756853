// Package stringcmds implements the commands on strings.
package stringcmds
