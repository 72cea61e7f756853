// Package fmtfiles runs package luafmt over files and folders for `redmoon fmt`.
package fmtfiles
