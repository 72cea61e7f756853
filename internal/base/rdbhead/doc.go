// Package rdbhead knows what RDB files begin with.
package rdbhead
