package inspectfile

// rect is a part of a rectangle, in units of the whole picture.
type rect struct{ x, y, w, h float64 }

// squarify cuts area into a rectangle for each weight, in order. The weights must be positive and
// should fall; then the rectangles are close to squares. This is the algorithm of Bruls, Huizing
// and van Wijk: a row along the shorter side grows as long as its worst rectangle becomes squarer.
func squarify(weights []float64, area rect) []rect {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	rects := make([]rect, 0, len(weights))
	for len(weights) > 0 {
		scale := area.w * area.h / total
		short := min(area.w, area.h)
		n, sum := 1, weights[0]
		for n < len(weights) {
			next := sum + weights[n]
			if worst(weights[:n+1], next, scale, short) > worst(weights[:n], sum, scale, short) {
				break
			}
			n, sum = n+1, next
		}
		share := sum / total // of the longer side
		if n == len(weights) {
			share = 1
		}
		row, rest := area, area
		if area.w >= area.h {
			row.w = area.w * share
			rest.x, rest.w = area.x+row.w, area.w-row.w
		} else {
			row.h = area.h * share
			rest.y, rest.h = area.y+row.h, area.h-row.h
		}
		rects = appendRow(rects, weights[:n], sum, row, area.w >= area.h)
		weights, area, total = weights[n:], rest, total-sum
	}
	return rects
}

// worst returns the greatest ratio of sides in a row of rectangles along a side.
func worst(weights []float64, sum, scale, side float64) float64 {
	most, least := weights[0], weights[0]
	for _, w := range weights {
		most, least = max(most, w), min(least, w)
	}
	depth := sum * scale / side
	return max(most*scale/(depth*depth), depth*depth/(least*scale))
}

// appendRow cuts a row, which is a column if down is true.
func appendRow(rects []rect, weights []float64, sum float64, row rect, down bool) []rect {
	at := 0.0
	for _, w := range weights {
		part := w / sum
		r := row
		if down {
			r.y, r.h = row.y+at*row.h, part*row.h
		} else {
			r.x, r.w = row.x+at*row.w, part*row.w
		}
		at += part
		rects = append(rects, r)
	}
	return rects
}
