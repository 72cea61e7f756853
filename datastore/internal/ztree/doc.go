// Package ztree implements the ordered part of a large sorted set: a counted B+tree of members and
// scores, in which the rank of an item, and the item with a rank, are found in O(log n).
//
// Vocabulary: an item is a member with its score; items are ordered by score, then by the bytes of
// the member. A leaf holds items. An inner node holds kids, the nodes of the level below, with a
// separator and a number of items for each. A [Path] leads from the root to an item.
//
// Nodes are laid out for few cache misses; see leafNode. A Tree must not be used by several
// goroutines at the same time.
package ztree
