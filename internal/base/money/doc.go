// Package money formats and parses amounts of money and counts for people.
package money
