package inspectfile

import (
	"container/heap"
	"slices"
)

// top keeps the first of all items that it gets, in the order of before.
type top[T any] struct {
	limit  int
	before func(a, b T) bool
	items  []T // a heap whose root is the last of the order
}

func (t *top[T]) Len() int           { return len(t.items) }
func (t *top[T]) Less(i, j int) bool { return t.before(t.items[j], t.items[i]) }
func (t *top[T]) Swap(i, j int)      { t.items[i], t.items[j] = t.items[j], t.items[i] }
func (t *top[T]) Push(x any)         { t.items = append(t.items, x.(T)) }

// Pop is for package heap.
func (t *top[T]) Pop() any {
	last := t.items[len(t.items)-1]
	t.items = t.items[:len(t.items)-1]
	return last
}

func (t *top[T]) add(item T) {
	switch {
	case len(t.items) < t.limit:
		heap.Push(t, item)
	case t.limit > 0 && t.before(item, t.items[0]):
		t.items[0] = item
		heap.Fix(t, 0)
	}
}

// sorted returns the items. The list is not nil.
func (t *top[T]) sorted() []T {
	all := append([]T{}, t.items...)
	slices.SortStableFunc(all, func(a, b T) int {
		switch {
		case t.before(a, b):
			return -1
		case t.before(b, a):
			return 1
		}
		return 0
	})
	return all
}
