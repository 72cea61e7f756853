// Package shell describes a command line to other programs: completion for bash, zsh and fish, and
// a manual page. Both are made from the command tree, so that they cannot name a flag that does not
// exist.
package shell
