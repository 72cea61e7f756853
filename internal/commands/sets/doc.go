// Package sets implements the commands on sets.
package sets
