// Package glob matches names with the patterns of KEYS, PSUBSCRIBE and ACL rules.
package glob
