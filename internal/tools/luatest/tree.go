package luatest

import (
	"slices"

	"github.com/redmoon-lua/redmoon/internal/tools/luatest/testredis"
	"github.com/redmoon-lua/redmoon/luabridge"
)

// hook is a kind of function around tests.
type hook int

const (
	setup hook = iota
	teardown
	beforeEach
	afterEach
	hookKinds
)

// block is a describe, or the file itself.
type block struct {
	name      string
	line      int
	parent    *block // nil: the file
	children  []node
	hooks     [hookKinds][]luabridge.Value
	globals   []luabridge.Field // the globals that it has set
	settings  testredis.Settings
	insulated bool
	broken    *Problem // its function has failed

	ops []testredis.Op // what its setup functions have done to Redis
}

// test is an it, or a pending.
type test struct {
	name    string
	line    int
	block   *block
	fn      luabridge.Value
	pending bool
	reason  string

	property *property // nil: the test runs once, without values
}

// node is a child of a block: one of both.
type node struct {
	block *block
	test  *test
}

// names returns the names of the blocks around, from the outermost.
func (b *block) names() (list []string) {
	for ; b.parent != nil; b = b.parent {
		list = append(list, b.name)
	}
	slices.Reverse(list)
	return list
}

func (t *test) names() []string { return append(t.block.names(), t.name) }

// path returns the blocks from the file to b.
func (b *block) path() (list []*block) {
	for ; b != nil; b = b.parent {
		list = append(list, b)
	}
	slices.Reverse(list)
	return list
}

// tests returns all tests of a block, in order.
func (b *block) tests() (list []*test) {
	for _, c := range b.children {
		if c.test != nil {
			list = append(list, c.test)
		} else {
			list = append(list, c.block.tests()...)
		}
	}
	return list
}

// brokenBlocks returns the blocks whose functions have failed: b, or blocks inside it.
func (b *block) brokenBlocks() (list []*block) {
	if b.broken != nil {
		return []*block{b}
	}
	for _, c := range b.children {
		if c.block != nil {
			list = append(list, c.block.brokenBlocks()...)
		}
	}
	return list
}

// allOps returns what the setup functions of the block and of those around it have done.
func (b *block) allOps() (list []testredis.Op) {
	for _, b := range b.path() {
		list = append(list, b.ops...)
	}
	return list
}
