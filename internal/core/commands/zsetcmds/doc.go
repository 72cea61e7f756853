// Package zsetcmds implements the commands on sorted sets, and those that block on sorted sets.
package zsetcmds
