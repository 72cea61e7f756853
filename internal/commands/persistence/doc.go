// Package persistence implements the commands that write the data set to files. There are no files,
// so they refuse.
package persistence
