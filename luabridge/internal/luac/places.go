package luac

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/syntax"
)

// Places are the places of one function at which coverage is counted.
//
// A function whose code has n instructions has 2n counters. [Runs] of an instruction counts how
// often it began; [Ways] counts the way that nothing else shows: a test that skipped the jump
// after it, a loop that began with an iteration, a loop that ended without one. Package machine
// counts.
type Places struct {
	Name     string // as in the text, such as "M.split"; "" for the text itself and for functions without a name
	Points   []Point
	Branches []Branch
}

// Runs returns the counter for how often the instruction at pc began.
func Runs(pc int) int { return 2 * pc }

// Ways returns the second counter of the instruction at pc.
func Ways(pc int) int { return 2*pc + 1 }

// Point is a statement, a condition of elseif, while or until, or the right side of an "and" or
// "or" that begins a line.
type Point struct {
	At   int   // index of its first byte in the text
	Sum  int   // the counter that holds how often it was reached
	More []int // counters to add to it
}

// Branch is a place at which a run goes one of two ways.
type Branch struct {
	Kind     BranchKind
	From, To int // range of the condition in the text
	Yes, No  int // the counters
}

// BranchKind says what a branch depends on.
type BranchKind uint8

// The kinds of branches. A condition is an operand of "and" and "or", or all of the condition of a
// statement if there is none.
const (
	BranchIf     BranchKind = iota // the condition of if, or its last operand
	BranchElseif                   // the same of elseif
	BranchWhile                    // the same of while
	BranchUntil                    // the same of repeat
	BranchAnd                      // an operand with "and" after it
	BranchOr                       // an operand with "or" after it
	BranchFor                      // a for loop: yes if its body runs, no if there is not one iteration
)

// recorder collects the places of a text while it is compiled.
//
// The code is that of a compilation without it, except for an OP_NOP where two places with
// different counts would share an instruction: before a loop whose first instruction would also
// stand for a statement without code, and at the end of a block that ends with such a statement.
type recorder struct {
	source    string
	functions []*Places
	operand   span   // the last operand that has been compiled, on which a jump may depend
	name      string // of the next function
}

// span is the part of an expression on which a jump depends.
type span struct {
	from, to int
	fixed    bool // it is always true, or always false
	inverted bool // a "not" around it has inverted its meaning for the jumps
}

// begin begins a function.
func (r *recorder) begin(fs *funcState) {
	fs.places = &Places{Name: r.name}
	r.functions = append(r.functions, fs.places)
	r.name = ""
}

// addPoint adds a point at the next instruction.
func (fs *funcState) addPoint(at int) {
	fs.point = fs.pc()
	fs.places.Points = append(fs.places.Points, Point{At: at, Sum: Runs(fs.pc())})
}

// padPoint gives the last point an instruction of its own if it has none yet.
func (fs *funcState) padPoint() {
	if fs.point == fs.pc() {
		fs.codeABC(lua.OP_NOP, 0, 0, 0)
	}
}

// padJumpTarget gives the jumps to the next instruction an instruction to land at, if that one is a
// jump: they would lead to its target.
func (fs *funcState) padJumpTarget() {
	if fs.jpc != noJump {
		fs.codeABC(lua.OP_NOP, 0, 0, 0)
	}
}

// markStatement adds the point of the statement that begins at the current token. Blocks and repeat
// have none; that of while follows its label.
func (c *compiler) markStatement() {
	switch c.Kind {
	case syntax.Do, syntax.Repeat, syntax.While:
		return
	case syntax.Break:
		c.fs.padJumpTarget()
	}
	c.fs.addPoint(c.From)
}

// markSimple is called after an operand without an operator before it, whose first token has
// the kind first. If it is a variable, a call or in parentheses, primary has marked it.
func (c *compiler) markSimple(first syntax.Kind, from int) {
	if first != syntax.Name && first != '(' {
		c.places.operand = span{from: from, to: c.Past, fixed: first != syntax.Dots}
	}
}

// markUnary is called between the operand of a prefix operator and the operator's code.
func (c *compiler) markUnary(op syntax.Kind, from int, e *expDesc) {
	o := &c.places.operand
	switch {
	case op != syntax.Not:
		*o = span{from: from, to: c.Past, fixed: true}
	case e.hasJumps():
		o.inverted = !o.inverted
	default:
		o.from, o.to = from, c.Past
	}
}

// markBinary is called after both sides of an operator that began at from.
func (c *compiler) markBinary(op syntax.Kind, from int) {
	if op == syntax.And || op == syntax.Or {
		return // the right side is the last operand
	}
	_, comparison := comparisons[op]
	c.places.operand = span{from: from, to: c.Past, fixed: !comparison}
}

// markShortCircuit is infix for "and" and "or".
func (c *compiler) markShortCircuit(op syntax.Kind, e *expDesc) {
	fs, kind, jump, reached := c.fs, BranchAnd, noJump, []int(nil)
	if op == syntax.And {
		reached = fs.counters(e.t)
		jump = fs.goIfTrue(e)
	} else {
		kind, reached = BranchOr, fs.counters(e.f)
		jump = fs.goIfFalse(e)
	}
	if jump == noJump {
		return
	}
	c.markBranch(kind, jump, op == syntax.Or)
	if c.beginsLine(c.From) {
		fs.places.Points = append(fs.places.Points, Point{At: c.From, Sum: Ways(jump - 1), More: reached})
	}
}

// counters returns the counters of the jumps of a list.
func (fs *funcState) counters(list int) (counters []int) {
	for ; list != noJump; list = fs.getJump(list) {
		counters = append(counters, Runs(list))
	}
	return counters
}

// beginsLine reports whether there is nothing before at on its line, except one "and" or "or".
func (c *compiler) beginsLine(at int) bool {
	before := c.places.source[:at]
	before = strings.TrimSpace(before[strings.LastIndexAny(before, "\n\r")+1:])
	return before == "" || before == "and" || before == "or"
}

// markBranch adds the branch of the last operand, whose jump is taken if the expression is want.
func (c *compiler) markBranch(kind BranchKind, jump int, want bool) {
	o := c.places.operand
	if o.fixed || jump == noJump {
		return
	}
	b := Branch{Kind: kind, From: o.from, To: o.to, Yes: Runs(jump), No: Ways(jump - 1)}
	if want == o.inverted {
		b.Yes, b.No = b.No, b.Yes
	}
	c.fs.places.Branches = append(c.fs.places.Branches, b)
}

// markFor adds the branch of a for loop. prepare is the instruction that leads to the one at again,
// which ends an iteration.
func (c *compiler) markFor(from, to, prepare, again int) {
	c.fs.places.Branches = append(c.fs.places.Branches,
		Branch{Kind: BranchFor, From: from, To: to, Yes: Ways(again), No: Ways(prepare)})
}

// nextFunction names the function that begins next.
func (c *compiler) nextFunction(name string) {
	if c.places != nil {
		c.places.name = name
	}
}

// nameFunction is nextFunction if the current token begins a function.
func (c *compiler) nameFunction(name string) {
	if c.Kind == syntax.Function {
		c.nextFunction(name)
	}
}

// textFrom returns the text from a byte to the token before the current one, without spaces. It is
// empty if coverage is not counted.
func (c *compiler) textFrom(from int) string {
	if c.places == nil {
		return ""
	}
	return strings.Join(strings.Fields(c.places.source[from:c.Past]), "")
}
