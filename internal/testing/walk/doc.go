// Package walk holds the first steps of three new users as test scripts: one who tests scripts from
// Go, one who embeds an engine, and one who writes scripts and no Go. The scripts run from the
// source tree, with the module cache of whoever runs the tests. `make walk` runs them in a new home
// folder with empty caches, and prints the seconds of each command and the lines that were written.
package walk
