// Package parse reads arguments of commands as Redis does: numbers, counts, cursors, timeouts and
// stream IDs. What it accepts and refuses is Redis's choice, not that of package strconv.
package parse
