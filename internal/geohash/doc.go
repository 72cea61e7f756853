// Package geohash turns places on earth into the 52-bit numbers that the geo commands keep as scores, and back, measures
// distances, and finds the cells that a search has to look through. Every float is computed as Redis computes it, to the last digit.
//
// Vocabulary: longitudes and latitudes are degrees, distances metres. A [Cell] is one of the 4^step rectangles into
// which the map is divided at a step; its number interleaves the bits of latitude (even) and longitude (odd).
package geohash
