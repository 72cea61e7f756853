// Package scan parses the arguments of SCAN, HSCAN, SSCAN and ZSCAN, and runs their loop.
package scan
