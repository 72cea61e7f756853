package datastore

// The rules by which Redis divides a list into nodes.

const (
	defaultFill = -2
	minFill     = -5
	maxFill     = 32767
	maxDepth    = 65535

	entryOverhead = 8 // assumed bytes of an entry in addition to its text
	// bytes that merging two nodes is assumed to save; in fact it saves lpOutside
	mergeSaving = 11
	// greatest size in bytes of a node that is limited by its number of elements
	safeNode         = 8192
	defaultThreshold = 1 << 30 // default of Limits.ListPackedThreshold
)

// large reports whether an element of size bytes is a node by itself: in Redis 7.0 from 1 GiB on,
// in later versions if it is larger than a node may be.
func (l *List) large(size int) bool {
	threshold := l.st.limits.ListPackedThreshold
	if threshold <= 0 {
		if l.st.limits.CompactLists {
			return !l.compact && size > l.full()
		}
		threshold = defaultThreshold
	}
	return !l.compact && size >= threshold
}

// full is the greatest size in bytes of a node with more than one element.
func (l *List) full() int {
	if l.compact {
		return unlimited
	}
	if l.fill < 0 {
		return 2048 << -l.fill
	}
	return safeNode
}

// within reports whether a node of size bytes and count elements is allowed.
func (l *List) within(size, count int) bool {
	return size <= l.full() && (l.fill < 0 || l.compact || count <= int(l.fill))
}

// allows reports whether node k exists and has room for another element of size bytes.
func (l *List) allows(k, size int) bool {
	if k < 0 || k >= l.nodes.len() || l.large(size) {
		return false
	}
	c := l.node(k)
	return !c.plain && l.within(c.size()+size+entryOverhead, c.count+1)
}

// mergeable reports whether nodes k and k+1 exist and may be merged.
func (l *List) mergeable(k int) bool {
	if k < 0 || k+1 >= l.nodes.len() {
		return false
	}
	a, b := l.node(k), l.node(k+1)
	return !a.plain && !b.plain && l.within(a.size()+b.size()-mergeSaving, a.count+b.count)
}

// merge moves the entries of node k+1 to node k.
func (l *List) merge(k int) {
	a, b := l.node(k), l.node(k+1)
	buf := newBuffer(a.size() + b.size() - lpOutside)
	n := lpHeader + copy(buf[lpHeader:], a.raw())
	n += copy(buf[n:], b.raw())
	a.buf, a.from, a.to, a.count = buf, lpHeader, n, a.count+b.count
	l.nodes.cut(k+1, k+2)
}

// mergeAround merges, where allowed, the two nodes before node k, the two after it, and then k with
// its neighbours.
func (l *List) mergeAround(k int) {
	if l.mergeable(k - 2) {
		l.merge(k - 2)
		k--
	}
	if l.mergeable(k + 1) {
		l.merge(k + 1)
	}
	if l.mergeable(k - 1) {
		l.merge(k - 1)
		k--
	}
	if l.mergeable(k) {
		l.merge(k)
	}
}
