// Package hashes implements the commands on hashes.
package hashes
