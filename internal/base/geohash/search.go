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

// Shape is the area of a search: a circle, a box aligned with the meridians, or a polygon.
type Shape struct {
	Center        Point
	Unit          float64 // metres per unit of Radius, Width and Height
	Radius        float64 // of a circle, in Unit
	Box           bool
	Width, Height float64 // of a box, in Unit
	Vertices      []Point // of a polygon
}

// Polygon returns a polygon. Its center is the point on the globe in the direction of the sum of
// its vertices.
func Polygon(vertices []Point) Shape {
	var x, y, z float64
	for _, v := range vertices {
		lon, lat := toRadians(v.Longitude), toRadians(v.Latitude)
		x += float64(numbers.Cos(lat) * numbers.Cos(lon))
		y += float64(numbers.Cos(lat) * numbers.Sin(lon))
		z += numbers.Sin(lat)
	}
	return Shape{Unit: 1, Vertices: vertices, Center: Point{
		Longitude: toDegrees(numbers.Atan2(y, x)),
		Latitude:  toDegrees(numbers.Atan2(z, math.Sqrt(float64(x*x)+float64(y*y)))),
	}}
}

// encloses reports whether p is within the polygon: a line from p to the east crosses the edges an
// odd number of times.
func (s *Shape) encloses(p Point) (within bool) {
	a := s.Vertices[len(s.Vertices)-1]
	for _, b := range s.Vertices {
		if (b.Latitude > p.Latitude) != (a.Latitude > p.Latitude) {
			across := float64((a.Longitude-b.Longitude)*(p.Latitude-b.Latitude)) / (a.Latitude - b.Latitude)
			if p.Longitude < across+b.Longitude {
				within = !within
			}
		}
		a = b
	}
	return within
}

// Distance returns the distance of p from Center in metres, and whether p is within the shape.
func (s *Shape) Distance(p Point) (d float64, within bool) {
	if s.Vertices != nil {
		if !s.encloses(p) {
			return 0, false
		}
		return Distance(s.Center, p), true
	}
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
	if s.Vertices != nil {
		first := s.Vertices[0]
		a := area{west: first.Longitude, east: first.Longitude, south: first.Latitude, north: first.Latitude}
		for _, v := range s.Vertices {
			a.west, a.east = min(a.west, v.Longitude), max(a.east, v.Longitude)
			a.south, a.north = min(a.south, v.Latitude), max(a.north, v.Latitude)
		}
		return a
	}
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

// reach returns the distance in metres of the farthest point of the shape, or of the bounding
// rectangle of a polygon, from its center.
func (s *Shape) reach() (metres float64) {
	if s.Vertices != nil {
		b := s.bounds()
		for _, corner := range []Point{{b.west, b.south}, {b.west, b.north}, {b.east, b.south}, {b.east, b.north}} {
			metres = max(metres, Distance(s.Center, corner))
		}
		return metres
	}
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
	middle, step := s.Center, firstStep(s.reach(), s.Center.Latitude)
	if !middle.Valid() { // that of a polygon may be too near to a pole
		middle.Latitude, step = 0, 1 // all cells
	}
	center := mercator.cellAt(middle, step)
	if step > 1 && center.short(b) {
		step--
		center = mercator.cellAt(middle, step)
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
