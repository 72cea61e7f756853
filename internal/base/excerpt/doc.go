// Package excerpt shows the lines of a script around the one that an error of Redis names.
package excerpt
