// Package geocmds implements the geospatial commands. Positions are scores of sorted sets.
package geocmds
