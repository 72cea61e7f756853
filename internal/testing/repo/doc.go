// Package repo checks the repository itself: which package imports which, how large the packages
// are, whether the documents name what exists, and whether comments and documents are written in
// plain English on lines that fit a screen.
//
// [WordCounts], [WidthCounts] and [Packages] also serve the program internal/testing/measure, which
// prints them for any checkout.
package repo
