package geohash

import (
	"math"

	"github.com/redmoon-lua/redmoon/internal/base/numbers"
)

// earthRadius is the quadratic mean radius of WGS-84 in metres.
const earthRadius = 6372797.560856

// radian is one degree in radians.
const radian = float64(math.Pi) / 180

func toRadians(deg float64) float64 { return deg * radian }
func toDegrees(rad float64) float64 { return rad / radian }

// Distance returns the distance between two points in metres, by the haversine formula.
func Distance(a, b Point) float64 {
	lat1, lat2 := toRadians(a.Latitude), toRadians(b.Latitude)
	v := numbers.Sin((toRadians(b.Longitude) - toRadians(a.Longitude)) / 2)
	if v == 0 { // the points are on one meridian
		return earthRadius * math.Abs(lat2-lat1)
	}
	u := numbers.Sin((lat2 - lat1) / 2)
	h := float64(u*u) + float64(float64(float64(numbers.Cos(lat1)*numbers.Cos(lat2))*v)*v)
	return 2 * earthRadius * numbers.Asin(math.Sqrt(h))
}

// Shape is the area of a search: a circle, or a box aligned with the meridians.
type Shape struct {
	Center        Point
	Unit          float64 // metres per unit of Radius, Width and Height
	Radius        float64 // of a circle, in Unit
	Box           bool
	Width, Height float64 // of a box, in Unit
}

// Distance returns the distance of p from Center in metres, and whether p is within the shape.
func (s *Shape) Distance(p Point) (d float64, within bool) {
	if !s.Box {
		d = Distance(s.Center, p)
		return d, !(d > s.Radius*s.Unit)
	}
	across := Distance(p, Point{s.Center.Longitude, p.Latitude})
	along := Distance(p, Point{p.Longitude, s.Center.Latitude})
	if across > s.Width*s.Unit/2 || along > s.Height*s.Unit/2 {
		return 0, false
	}
	return Distance(s.Center, p), true
}

// bounds returns the bounding rectangle of the shape.
func (s *Shape) bounds() area {
	height, width := s.Radius, s.Radius
	if s.Box {
		height, width = s.Height/2, s.Width/2
	}
	height, width = s.Unit*height, s.Unit*width
	c := s.Center
	dLat := toDegrees(height / earthRadius)
	away := c.Latitude + dLat // the latitude of the box at which the meridians are closest together
	if c.Latitude < 0 {
		away = c.Latitude - dLat
	}
	dLon := toDegrees(width / earthRadius / numbers.Cos(toRadians(away)))
	return area{west: c.Longitude - dLon, east: c.Longitude + dLon, south: c.Latitude - dLat, north: c.Latitude + dLat}
}

// reach returns the distance in metres of the farthest point of the shape from its center.
func (s *Shape) reach() float64 {
	if s.Box {
		w, h := s.Width/2, s.Height/2
		return math.Sqrt(float64(w*w)+float64(h*h)) * s.Unit
	}
	return s.Radius * s.Unit
}

// firstStep estimates the step at which nine cells cover a circle of radius reach at a latitude.
func firstStep(reach, latitude float64) uint8 {
	const mercatorMax = 20037726.37 // half the equator in metres
	if reach == 0 {
		return Steps
	}
	step := -1
	for ; reach < mercatorMax; reach *= 2 {
		step++
	}
	if lat := math.Abs(latitude); lat > 80 {
		step -= 2
	} else if lat > 66 {
		step--
	}
	return uint8(min(max(step, 1), Steps))
}

// Cells returns the cells that the shape may overlap, in the order in which a search examines them:
// the one of the center, then north, south, east, west, north-east, north-west, south-east,
// south-west. Cells that the shape does not overlap are None.
func (s *Shape) Cells() [9]Cell {
	b := s.bounds()
	step := firstStep(s.reach(), s.Center.Latitude)
	center := mercator.cellAt(s.Center, step)
	if step > 1 && center.short(b) {
		step--
		center = mercator.cellAt(s.Center, step)
	}
	var cells [9]Cell
	a := center.area()
	for i, d := range directions {
		useless := step >= 2 && (d.north < 0 && a.south < b.south || d.north > 0 && a.north > b.north ||
			d.east < 0 && a.west < b.west || d.east > 0 && a.east > b.east)
		if !useless {
			cells[i] = center.neighbor(d.east, d.north)
		}
	}
	return cells
}

var directions = [9]struct{ east, north int }{{0, 0}, {0, 1}, {0, -1}, {1, 0}, {-1, 0}, {1, 1}, {-1, 1}, {1, -1}, {-1, -1}}

// short reports whether the cell and its neighbors do not cover b.
func (c Cell) short(b area) bool {
	return c.neighbor(0, 1).area().north < b.north || c.neighbor(0, -1).area().south > b.south ||
		c.neighbor(1, 0).area().east < b.east || c.neighbor(-1, 0).area().west > b.west
}

// neighbor returns the cell that is east columns and north rows away, wrapping around the edges of
// the map.
func (c Cell) neighbor(east, north int) Cell {
	mask := uint32(1)<<c.step - 1
	if east != 0 {
		c.lon = (c.lon + uint32(east)) & mask
	}
	if north != 0 {
		c.lat = (c.lat + uint32(north)) & mask
	}
	return c
}
