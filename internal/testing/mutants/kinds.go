package main

import "go/token"

// swapped are the operators that change, and into which.
var swapped = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LSS: token.LEQ, token.LEQ: token.LSS,
	token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD: token.SUB, token.SUB: token.ADD,
	token.MUL: token.QUO, // or ADD, if a division could panic
	token.SHL: token.SHR,
	token.AND: token.OR,
}

// form is how the original and the mutant are put into the code.
type form int

const (
	condition form = iota // a plain bool: On && mutant || !On && original
	value                 // an expression with a type: a function that is called
	statement             // in a list of statements: if On, else
	simple                // a statement elsewhere, for example at the end of a for: a function that is called
)

// A place is where one token can change.
type place struct {
	identity
	folder  string
	line    int
	mutated string // text of the mutant's line
	form    form
	typ     string // of a value
	start   int    // offsets of the expression or statement
	end     int
	token   edit // changes the token
	group   []edit
}

// identity names a place in every commit that has it.
type identity struct {
	path     string // of the file, relative to the module
	function string
	kind     string // what changes into what
	ordinal  int    // from 1, among the places for which the rest is equal
	text     string // of the line
}

// edit replaces a piece of a file.
type edit struct {
	start, end int
	text       string
}
