// Package listcmds implements the commands on lists, and those that block on lists.
package listcmds
