// Package scriptfiles runs package embedded over files and folders for `redmoon scripts`.
package scriptfiles
