// Package strings implements the commands on strings.
package strings
