package geohash

import "math"

// The limits of the map in degrees, those of the Web Mercator projection.
const (
	MaxLongitude = 180
	MaxLatitude  = 85.05112878
)

// Steps is the step of the cells that scores number: 26 bits each of longitude and latitude.
const Steps = 26

// Point is a position on earth, in degrees.
type Point struct{ Longitude, Latitude float64 }

// Valid reports whether the point is on the map.
func (p Point) Valid() bool {
	return p.Longitude >= -MaxLongitude && p.Longitude <= MaxLongitude && p.Latitude >= -MaxLatitude && p.Latitude <= MaxLatitude
}

// Cell is a rectangle of the map. The zero Cell means "no cell".
type Cell struct {
	lon, lat uint32 // its column and row, counted from the west and from the south
	step     uint8
}

// frame is the part of the globe that is divided into cells.
type frame struct{ lon, lat float64 } // from -lon to lon and from -lat to lat

var (
	mercator = frame{MaxLongitude, MaxLatitude}
	globe    = frame{180, 90}
)

// cellAt returns the cell of a point. A point on the north or east border gets the cell beyond the
// last one.
func (f frame) cellAt(p Point, step uint8) Cell {
	n := float64(uint64(1) << step)
	lat := (p.Latitude + f.lat) / (f.lat + f.lat)
	lon := (p.Longitude + f.lon) / (f.lon + f.lon)
	return Cell{uint32(lon * n), uint32(lat * n), step}
}

// bits returns the number of the cell among all cells of its step.
func (c Cell) bits() uint64 { return spread(c.lat) | spread(c.lon)<<1 }

// spread moves bit i of v to bit 2*i.
func spread(v uint32) uint64 {
	x := uint64(v)
	x = (x | x<<16) & 0x0000ffff0000ffff
	x = (x | x<<8) & 0x00ff00ff00ff00ff
	x = (x | x<<4) & 0x0f0f0f0f0f0f0f0f
	x = (x | x<<2) & 0x3333333333333333
	return (x | x<<1) & 0x5555555555555555
}

// squeeze undoes spread and ignores the odd bits.
func squeeze(x uint64) uint32 {
	x &= 0x5555555555555555
	x = (x | x>>1) & 0x3333333333333333
	x = (x | x>>2) & 0x0f0f0f0f0f0f0f0f
	x = (x | x>>4) & 0x00ff00ff00ff00ff
	x = (x | x>>8) & 0x0000ffff0000ffff
	return uint32(x | x>>16)
}

// Scores returns the range of the scores, to exclusive, of the points in the cell.
func (c Cell) Scores() (from, to float64) {
	shift := 52 - 2*c.step
	n := c.bits()
	return float64(n << shift), float64((n + 1) << shift)
}

// None reports whether c is the zero Cell.
func (c Cell) None() bool { return c == Cell{} }

// area is a rectangle in degrees.
type area struct{ west, east, south, north float64 }

func (c Cell) area() area {
	n := float64(uint64(1) << c.step)
	edge := func(at uint32, half float64) float64 {
		return -half + float64(float64(at)/n*(half+half))
	}
	return area{
		west: edge(c.lon, MaxLongitude), east: edge(c.lon+1, MaxLongitude),
		south: edge(c.lat, MaxLatitude), north: edge(c.lat+1, MaxLatitude),
	}
}

// Score returns the score of a point, which must be valid.
func Score(p Point) float64 { return float64(mercator.cellAt(p, Steps).bits()) }

// Locate returns the center of the cell with that score. Every float is valid: scores that no point
// has give a point on the border of the map.
func Locate(score float64) Point {
	bits := toUnsigned(score)
	a := Cell{squeeze(bits >> 1), squeeze(bits), Steps}.area()
	return Point{
		Longitude: min(max((a.west+a.east)/2, -MaxLongitude), MaxLongitude),
		Latitude:  min(max((a.south+a.north)/2, -MaxLatitude), MaxLatitude),
	}
}

// toUnsigned converts any float to an integer as compilers for amd64 do.
func toUnsigned(f float64) uint64 {
	const top = 1 << 63
	if f < top {
		return uint64(ToInteger(f))
	}
	return uint64(ToInteger(f-top)) ^ top
}

// ToInteger converts a float as amd64 does: a float out of range gives the smallest integer.
func ToInteger(f float64) int64 {
	if f >= -(1<<63) && f < 1<<63 {
		return int64(f)
	}
	return math.MinInt64
}

// Text returns the standard geohash of a point: 11 characters, of which the last is always 0.
func Text(p Point) string {
	const alphabet = "0123456789bcdefghjkmnpqrstuvwxyz"
	bits := globe.cellAt(p, Steps).bits()
	var b [11]byte
	for i := range 10 {
		b[i] = alphabet[bits>>(47-5*i)&31]
	}
	b[10] = alphabet[0]
	return string(b[:])
}
