// Package display turns replies into what people read, laid out byte for byte as redis-cli 7.0.15 does: [Standard] is
// what it prints on a terminal, [Raw] what it prints into a pipe. [JSON] is plain JSON. The package also holds the
// other half of that dialogue, the quoting of command lines ([Split], [Quote]), and the excerpt of a
// script around the line that failed ([Excerpt]).
package display
