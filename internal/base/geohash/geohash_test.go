package geohash

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func randomPoint(r *rand.Rand) Point {
	return Point{MaxLongitude * (2*r.Float64() - 1), MaxLatitude * (2*r.Float64() - 1)}
}

func TestAScoreGivesItsPointBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 10000 {
		p := randomPoint(r)
		q := Locate(Score(p))
		require.InDelta(t, p.Longitude, q.Longitude, 180.0/(1<<Steps))
		require.InDelta(t, p.Latitude, q.Latitude, MaxLatitude/(1<<Steps))
		require.Equal(t, Score(p), Score(q))
	}
}

func TestEveryNumberIsAPoint(t *testing.T) {
	for _, score := range []float64{0, -1, 0.5, 1 << 52, 1 << 63, 1 << 64, math.Inf(1), math.Inf(-1), -1e300, math.MaxFloat64} {
		require.True(t, Locate(score).Valid(), score)
	}
	require.False(t, Point{180.1, 0}.Valid())
	require.False(t, Point{0, -85.06}.Valid())
	require.False(t, Point{math.NaN(), 0}.Valid())
}

func TestTextIsTheStandardGeohash(t *testing.T) {
	require.Equal(t, "u4pruydqqv0", Text(Point{10.40744, 57.64911}))
	require.Equal(t, "ezs42", Text(Point{-5.603, 42.605})[:5])
}

func TestDistance(t *testing.T) {
	palermo, catania := Point{13.361389, 38.115556}, Point{15.087269, 37.502669}
	require.InDelta(t, 166274.15, Distance(palermo, catania), 1)
	require.Equal(t, Distance(palermo, catania), Distance(catania, palermo))
	require.Zero(t, Distance(palermo, palermo))
	require.InDelta(t, math.Pi/2*earthRadius, Distance(Point{0, 0}, Point{90, 0}), 1e-6)
}

// The cells of a search must contain every point within the shape. Redis does not search beyond the
// edge of the map, so the shapes here stay away from it.
func TestTheCellsHoldTheShape(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	within := 0
	for range 3000 {
		s := Shape{Center: Point{60 * r.NormFloat64() / 3, 50 * r.NormFloat64() / 3}, Unit: 1, Box: r.IntN(2) == 0}
		size := math.Pow(10, 6*r.Float64())
		s.Radius, s.Width, s.Height = size, size*(0.2+r.Float64()), size*(0.2+r.Float64())
		cells := s.Cells()
		for range 20 {
			spread := 1.5 * toDegrees(size/earthRadius)
			p := Point{s.Center.Longitude + spread*(2*r.Float64()-1), s.Center.Latitude + spread*(2*r.Float64()-1)}
			if !p.Valid() {
				continue
			}
			p = Locate(Score(p))
			if _, in := s.Distance(p); !in {
				continue
			}
			within++
			held := false
			for _, c := range cells {
				from, to := c.Scores()
				held = held || !c.None() && Score(p) >= from && Score(p) < to
			}
			require.True(t, held, "%v in %v", p, s)
		}
	}
	require.Greater(t, within, 10000)
}

func TestPolygon(t *testing.T) {
	s := Polygon([]Point{{0, 0}, {5, 0}, {5, 5}})
	require.InDelta(t, 3.332, s.Center.Longitude, 0.001)
	require.InDelta(t, 1.668, s.Center.Latitude, 0.001)
	for p, want := range map[Point]bool{{4, 1}: true, {1, 4}: false, {6, 1}: false, {4, -1}: false} {
		_, within := s.Distance(p)
		require.Equal(t, want, within, p)
	}
}

func TestCellsOfAPolygonCoverIt(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 2000 {
		center, size := randomPoint(r), math.Pow(10, 4*r.Float64()-3)
		vertices := make([]Point, 3+r.IntN(4))
		for i := range vertices {
			vertices[i] = Point{center.Longitude + size*(2*r.Float64()-1), center.Latitude + size*(2*r.Float64()-1)}
			vertices[i].Longitude = min(max(vertices[i].Longitude, -MaxLongitude), MaxLongitude)
			vertices[i].Latitude = min(max(vertices[i].Latitude, -MaxLatitude), MaxLatitude)
		}
		s := Polygon(vertices)
		cells := s.Cells()
		for range 20 {
			p := Point{center.Longitude + size*(2*r.Float64()-1), center.Latitude + size*(2*r.Float64()-1)}
			if !p.Valid() || !s.encloses(p) {
				continue
			}
			score := Score(p)
			require.True(t, slices.ContainsFunc(cells[:], func(c Cell) bool {
				from, to := c.Scores()
				return !c.None() && from <= score && score < to
			}), "%v in %v", p, vertices)
		}
	}
}
