// Package money writes and reads amounts of money, and writes counts, for people.
package money
