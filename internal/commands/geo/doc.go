// Package geo implements the geospatial commands. Positions are scores of sorted sets.
package geo
