package admincmds

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// canvas is a picture of pixels, each with a colour of its drawing's own palette.
type canvas struct {
	width, height int
	pixels        []uint8 // row by row
}

func newCanvas(width, height int, background uint8) *canvas {
	c := &canvas{width, height, make([]uint8, width*height)}
	for i := range c.pixels {
		c.pixels[i] = background
	}
	return c
}

// set colours a pixel. A pixel outside the picture is ignored.
func (c *canvas) set(x, y int, colour uint8) {
	if x >= 0 && x < c.width && y >= 0 && y < c.height {
		c.pixels[y*c.width+x] = colour
	}
}

// at returns the colour of a pixel, 0 outside the picture.
func (c *canvas) at(x, y int) uint8 {
	if x >= c.width || y >= c.height {
		return 0
	}
	return c.pixels[y*c.width+x]
}

// line draws from one point to another by Bresenham's algorithm.
func (c *canvas) line(x, y, toX, toY int, colour uint8) {
	dx, dy := toX-x, toY-y
	stepX, stepY := 1, 1
	if dx < 0 {
		dx, stepX = -dx, -1
	}
	if dy < 0 {
		dy, stepY = -dy, -1
	}
	rest := dx - dy
	for {
		c.set(x, y, colour)
		if x == toX && y == toY {
			return
		}
		twice := 2 * rest
		if twice > -dy {
			rest -= dy
			x += stepX
		}
		if twice < dx {
			rest += dx
			y += stepY
		}
	}
}

// square draws a square around a point, turned by an angle. It computes in single precision because
// Redis does, which decides where the corners are.
func (c *canvas) square(x, y int, side, angle float32) {
	radius := math.Round(float64(float32(float64(side) / 1.4142135623)))
	turn := float32(math.Pi/4 + float64(angle))
	var xs, ys [4]int
	for i := range xs {
		sin, cos := math.Sincos(float64(turn))
		xs[i] = int(math.Round(float64(sin*radius) + float64(x)))
		ys[i] = int(math.Round(float64(cos*radius) + float64(y)))
		turn = float32(float64(turn) + math.Pi/2)
	}
	for i := range xs {
		next := (i + 1) % len(xs)
		c.line(xs[i], ys[i], xs[next], ys[next], 1)
	}
}

// drawSquares draws a picture after Georg Nees: rows of squares, which are in order at the top and
// more and more turned and moved towards the bottom. columns are columns of the terminal, of two
// pixels each.
func drawSquares(rng *rand.Rand, columns, across, down int) *canvas {
	width, padding := 2*columns, 0
	if width > 4 {
		padding = 2
	}
	side := float32(width-2*padding) / float32(across)
	c := newCanvas(width, int(float32(side*float32(down))+float32(2*padding)), 0)
	half := side / 2
	for row := range down {
		disorder := 0.0
		if row > 1 {
			disorder = float64(row) / float64(down)
		}
		jitter := func() float32 { return float32(disorder * (2*rng.Float64() - 1)) }
		for column := range across {
			x := int(float32(float32(column)*side) + half + float32(padding))
			y := int(float32(float32(row)*side) + half + float32(padding))
			angle := jitter()
			x += int(jitter() * side / 3)
			y += int(jitter() * side / 3)
			c.square(x, y, side, angle)
		}
	}
	return c
}

// dots writes the picture in braille, two by four pixels a character.
func (c *canvas) dots() string {
	places := [8][2]int{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {0, 3}, {1, 3}} // of the dots 1 to 8
	var b strings.Builder
	for y := 0; y < c.height; y += 4 {
		for x := 0; x < c.width; x += 2 {
			char := rune(0x2800)
			for dot, at := range places {
				if c.at(x+at[0], y+at[1]) != 0 {
					char |= 1 << dot
				}
			}
			b.WriteRune(char)
		}
		if y != c.height-1 { // so that a last row of one pixel has no end, as in Redis
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// The palette of the city; the numbers are those of the terminal's colours.
const (
	cityBlack uint8 = iota
	cityDark
	cityGrey
	cityWhite
)

var cityColours = [...]int{cityBlack: 30, cityDark: 90, cityGrey: 37, cityWhite: 97}

// drawCity draws a skyline by daylight: two layers of grey towers, and in front of them black ones
// with windows.
func drawCity(rng *rand.Rand, width, height int) *canvas {
	c := newCanvas(width, height, cityWhite)
	layers := []struct {
		colour          uint8
		narrow, wide    int // width of a tower
		low, high       int // its height
		overlap, street int // where the next one may begin: so many pixels before its end, or behind it
	}{
		{cityGrey, 10, 18, height / 2, height, 9, 0},
		{cityDark, 10, 18, height / 2, height * 5 / 6, 0, 8},
		{cityBlack, 8, 20, height / 3, height * 5 / 6, 0, 12},
	}
	for _, l := range layers {
		for x := -10; x < width; {
			w, h := l.narrow+rng.IntN(l.wide-l.narrow+1), l.low+rng.IntN(l.high-l.low+1)
			c.tower(rng, x, w, h, l.colour)
			x += w - l.overlap + rng.IntN(l.overlap+l.street+1)
		}
	}
	return c
}

// tower draws a building that stands on the lower edge. A black one has windows, some of them lit.
func (c *canvas) tower(rng *rand.Rand, left, width, height int, colour uint8) {
	for y := c.height - height; y < c.height; y++ {
		for x := left; x < left+width; x++ {
			c.set(x, y, colour)
		}
	}
	if colour != cityBlack {
		return
	}
	for y := c.height - height + 1; y < c.height-1; y += 2 {
		for x := left + 1; x+1 < left+width; x += 4 {
			if rng.IntN(2) == 0 {
				c.set(x, y, cityWhite)
				c.set(x+1, y, cityWhite)
			}
		}
	}
}

// blocks writes the picture as spaces in the terminal's colours.
func (c *canvas) blocks() string {
	var b strings.Builder
	for y := range c.height {
		if y > 0 {
			b.WriteByte('\n')
		}
		for x := range c.width {
			n := cityColours[c.at(x, y)]
			b.WriteString("\x1b[0;" + strconv.Itoa(n) + ";" + strconv.Itoa(n+10) + "m \x1b[0m")
		}
	}
	return b.String()
}
