// Package bundlefiles runs package bundle over files and folders for `redmoon bundle`.
package bundlefiles
