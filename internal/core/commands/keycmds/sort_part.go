package keycmds

// SortPart reorders a so that the elements from index from to index to, both inclusive, are those
// of the sorted a.
//
// The order of equal elements depends on the algorithm. This is the one of Redis: the quicksort of
// Bentley and McIlroy ("Engineering a sort function", 1993), which skips the parts that are outside
// the requested range.
func SortPart[T any](a []T, compare func(x, y T) int, from, to int) {
	for len(a) >= 7 {
		p := pivot(a, compare)
		a[0], a[p] = a[p], a[0]
		less, greater := partition(a, compare)
		if less > 1 && from < less && to >= 0 {
			SortPart(a[:less], compare, from, to)
		}
		start := len(a) - greater
		if greater <= 1 || from >= len(a) || to < start {
			return
		}
		a, from, to = a[start:], from-start, to-start
	}
	for i := 1; i < len(a); i++ {
		for j := i; j > 0 && compare(a[j-1], a[j]) > 0; j-- {
			a[j-1], a[j] = a[j], a[j-1]
		}
	}
}

// pivot returns the index of the median of three elements or, in a large slice, of three such
// medians.
func pivot[T any](a []T, compare func(x, y T) int) int {
	n := len(a)
	mid := n / 2
	if n == 7 {
		return mid
	}
	middle := func(x, y, z int) int {
		if compare(a[x], a[y]) < 0 {
			switch {
			case compare(a[y], a[z]) < 0:
				return y
			case compare(a[x], a[z]) < 0:
				return z
			}
			return x
		}
		switch {
		case compare(a[y], a[z]) > 0:
			return y
		case compare(a[x], a[z]) < 0:
			return x
		}
		return z
	}
	first, last := 0, n-1
	if n > 40 {
		d := n / 8
		first = middle(first, first+d, first+2*d)
		mid = middle(mid-d, mid, mid+d)
		last = middle(last-2*d, last-d, last)
	}
	return middle(first, mid, last)
}

// partition divides a by a[0]: it moves smaller elements to the front and greater ones to the end,
// and returns the number of both.
func partition[T any](a []T, compare func(x, y T) int) (less, greater int) {
	n := len(a)
	// Elements equal to a[0] gather in a[:equal] and a[equalEnd+1:] until the middle is divided.
	equal, b, c, equalEnd := 1, 1, n-1, n-1
	for {
		for ; b <= c; b++ {
			r := compare(a[b], a[0])
			if r > 0 {
				break
			}
			if r == 0 {
				a[equal], a[b] = a[b], a[equal]
				equal++
			}
		}
		for ; b <= c; c-- {
			r := compare(a[c], a[0])
			if r < 0 {
				break
			}
			if r == 0 {
				a[c], a[equalEnd] = a[equalEnd], a[c]
				equalEnd--
			}
		}
		if b > c {
			break
		}
		a[b], a[c] = a[c], a[b]
		b++
		c--
	}
	less, greater = b-equal, equalEnd-c
	k := min(equal, less)
	swapRanges(a[:k], a[b-k:b])
	k = min(greater, n-1-equalEnd)
	swapRanges(a[b:b+k], a[n-k:])
	return less, greater
}

// swapRanges exchanges the elements of two slices of one length.
func swapRanges[T any](x, y []T) {
	for i := range x {
		x[i], y[i] = y[i], x[i]
	}
}
