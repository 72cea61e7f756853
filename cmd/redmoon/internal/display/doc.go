// Package display formats replies for people, byte for byte as redis-cli 7.0.15 does: [Standard] as
// on a terminal, [Raw] as into a pipe. [JSON] formats them as JSON. The package also splits command
// lines into words ([Split]) and shows the lines of a script around an error ([Excerpt]).
package display
