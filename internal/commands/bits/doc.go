// Package bits implements the commands on bitmaps and HyperLogLogs, which are strings.
package bits
