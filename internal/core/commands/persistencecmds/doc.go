// Package persistencecmds implements the commands that write the data set to files. Without files
// they refuse.
package persistencecmds
