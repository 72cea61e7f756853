// Package cmdline reads the command line of redis-server 7.0: a configuration file, "-" for
// standard input, and directives as options, which it puts into the words of the configuration
// file.
//
// Flags that only Redmoon has may stand wherever an option of redis-server may stand; they are
// returned apart.
package cmdline
