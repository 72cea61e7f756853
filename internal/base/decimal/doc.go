// Package decimal converts 64-bit integers to and from the one decimal form that Redis stores as an
// integer: no spaces, no plus sign, no leading zeros, not "-0".
package decimal
