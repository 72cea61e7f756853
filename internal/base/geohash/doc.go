// Package geohash converts points on earth to the 52-bit numbers that the geo commands store as
// scores, and back. It measures distances, and finds the cells that a search must examine. Every
// float is computed as Redis computes it, to the last digit.
//
// Longitudes and latitudes are in degrees, distances in metres. A [Cell] is one of the 4^step
// rectangles into which the map is divided at a step; its number interleaves the bits of latitude
// (even) and longitude (odd).
package geohash
