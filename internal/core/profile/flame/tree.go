package flame

import (
	"cmp"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/core/profile"
	"github.com/redmoon-lua/redmoon/luabridge"
)

// node is a frame of the flame view, with those that it has called.
type node struct {
	Name  string  `json:"n"`           // of the function, library function or command
	File  string  `json:"f,omitempty"` // "" for library functions and commands
	Line  int     `json:"l,omitempty"`
	Self  []int64 `json:"v"` // by value type
	Below []*node `json:"c,omitempty"`

	index map[luabridge.ProfileFrame]*node
}

func (n *node) below(f luabridge.ProfileFrame) *node {
	if found := n.index[f]; found != nil {
		return found
	}
	made := &node{Name: f.Function, File: profile.FileOf(f), Line: f.Line, Self: make([]int64, len(profile.Types))}
	if n.index == nil {
		n.index = map[luabridge.ProfileFrame]*node{}
	}
	n.index[f] = made
	n.Below = append(n.Below, made)
	return made
}

// treeOf returns the samples as a tree.
func treeOf(samples []luabridge.ProfileSample) *node {
	root := &node{Name: "all scripts", Self: make([]int64, len(profile.Types))}
	for i := range samples {
		n := root
		for _, f := range slices.Backward(samples[i].Stack) {
			n = n.below(f)
		}
		for j, v := range profile.Values(&samples[i]) {
			n.Self[j] += v
		}
	}
	return root
}

// lineCost is what a line has cost in all the ways in which it was called.
type lineCost struct {
	File, Function string
	Line           int
	Self           []int64 // by value type; time and memory with library functions and commands
	Total          int64   // nanoseconds, with everything that the line has called
}

// linesOf returns what each line has cost, the longest time first.
func linesOf(samples []luabridge.ProfileSample) []*lineCost {
	type key struct {
		sha, file, function string
		begins, line        int
	}
	sums := map[key]*lineCost{}
	var list []*lineCost
	of := func(f luabridge.ProfileFrame) *lineCost {
		k := key{f.SHA, f.File, f.Function, f.Begins, f.Line}
		if sums[k] == nil {
			sums[k] = &lineCost{File: profile.FileOf(f), Function: f.Function, Line: f.Line, Self: make([]int64, len(profile.Types))}
			list = append(list, sums[k])
		}
		return sums[k]
	}
	for i := range samples {
		s := &samples[i]
		own := slices.IndexFunc(s.Stack, func(f luabridge.ProfileFrame) bool { return f.SHA != "" })
		if own < 0 {
			continue
		}
		line := of(s.Stack[own])
		for j, v := range profile.Values(s) {
			if own == 0 || j >= len(profile.Types)-2 { // hits, calls and commands of others are not the line's
				line.Self[j] += v
			}
		}
		counted := map[*lineCost]bool{}
		for _, f := range s.Stack[own:] {
			if f.SHA != "" && !counted[of(f)] { // a recursive line counts once
				counted[of(f)] = true
				of(f).Total += s.Time.Nanoseconds()
			}
		}
	}
	slices.SortFunc(list, func(a, b *lineCost) int {
		last := len(profile.Types) - 1
		return cmp.Or(cmp.Compare(b.Self[last], a.Self[last]), strings.Compare(a.File, b.File), a.Line-b.Line)
	})
	return list
}
