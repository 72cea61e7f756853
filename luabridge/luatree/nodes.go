package luatree

// Stmt is a statement: a pointer to one of the types below whose names end in Stmt.
type Stmt interface {
	Node
	stmt()
}

// Expr is an expression.
type Expr interface {
	Node
	expr()
}

// Block is a sequence of statements with a scope of its own. Its range is that of its statements.
type Block struct {
	Range
	Stmts []Stmt
}

// Function is a function, or the text itself, which has no parameters and takes "...".
type Function struct {
	Range            // from "function", or from "(" if the name is in between, to "end"
	Params []*Local  // including "self"
	Vararg bool      // it takes "..."
	Body   *Block    // never nil
	Outer  *Function // the function around it; nil for the text itself
}

// The statements.
type (
	// LocalStmt is local a, b = x, y.
	LocalStmt struct {
		Range
		Names  []*Local
		Values []Expr
	}
	// AssignStmt is a, b = x, y. The targets are of type *Name or *Index.
	AssignStmt struct {
		Range
		Targets []Expr
		Values  []Expr
	}
	// CallStmt is a call whose results are dropped.
	CallStmt struct {
		Range
		Call *Call
	}
	// DoStmt is do … end.
	DoStmt struct {
		Range
		Body *Block
	}
	// WhileStmt is while … do … end.
	WhileStmt struct {
		Range
		Cond Expr
		Body *Block
	}
	// RepeatStmt is repeat … until …. The condition sees the locals of the body.
	RepeatStmt struct {
		Range
		Body *Block
		Cond Expr
	}
	// IfStmt is if … elseif … else … end.
	IfStmt struct {
		Range
		Branches []Branch
		Else     *Block // nil: none
	}
	// NumericFor is for i = first, last, step do … end.
	NumericFor struct {
		Range
		Var               *Local
		First, Last, Step Expr // Step may be nil
		Body              *Block
	}
	// GenericFor is for a, b in … do … end.
	GenericFor struct {
		Range
		Vars   []*Local
		Values []Expr
		Body   *Block
	}
	// FunctionStmt is function a.b:c() … end. Target is of type *Name or *Index.
	FunctionStmt struct {
		Range
		Target Expr
		Method bool
		Func   *Function
	}
	// LocalFunction is local function f() … end.
	LocalFunction struct {
		Range
		Name *Local
		Func *Function
	}
	// ReturnStmt is return ….
	ReturnStmt struct {
		Range
		Values []Expr
	}
	// BreakStmt is break.
	BreakStmt struct{ Range }
)

// Branch is a condition of an IfStmt with its block.
type Branch struct {
	Cond Expr
	Body *Block
}

// The expressions. A *Function is an expression, too.
type (
	// Name is a use of a variable.
	Name struct {
		Range
		Text  string
		Local *Local    // nil: a global
		Write bool      // it is a target of an assignment
		In    *Function // the function in which the name stands
	}
	// Number is a number.
	Number struct {
		Range
		Value float64
	}
	// String is a string. Value has its escapes replaced.
	String struct {
		Range
		Value string
	}
	// Constant is nil, true or false.
	Constant struct {
		Range
		Kind ConstantKind
	}
	// Vararg is "...".
	Vararg struct{ Range }
	// Paren is an expression in parentheses, which has one value.
	Paren struct {
		Range
		X Expr
	}
	// Unary is an operator with one operand: "-", "not" or "#".
	Unary struct {
		Range
		Op string
		X  Expr
	}
	// Binary is an operator with two operands.
	Binary struct {
		Range
		Op   string
		At   Range // of the operator
		L, R Expr
	}
	// Index is a field of a value: x.name or x[key].
	Index struct {
		Range
		X   Expr
		Key Expr // of type *String after a dot
		Dot bool
	}
	// Call is the call of a function or, if Method is set, of a method: f(…), x:m(…).
	Call struct {
		Range
		Func   Expr // the function, or the value whose method is called
		Method *String
		Args   []Expr
	}
	// Table is a constructor.
	Table struct {
		Range
		Fields []Field
	}
)

// Field is a field of a constructor.
type Field struct {
	Key   Expr // nil: the next index. Of type *String if Named is set.
	Named bool // written as name = value
	Value Expr
}

// ConstantKind is a constant of Lua.
type ConstantKind uint8

// The constants.
const (
	Nil ConstantKind = iota
	True
	False
)

func (*LocalStmt) stmt()     {}
func (*AssignStmt) stmt()    {}
func (*CallStmt) stmt()      {}
func (*DoStmt) stmt()        {}
func (*WhileStmt) stmt()     {}
func (*RepeatStmt) stmt()    {}
func (*IfStmt) stmt()        {}
func (*NumericFor) stmt()    {}
func (*GenericFor) stmt()    {}
func (*FunctionStmt) stmt()  {}
func (*LocalFunction) stmt() {}
func (*ReturnStmt) stmt()    {}
func (*BreakStmt) stmt()     {}

func (*Function) expr() {}
func (*Name) expr()     {}
func (*Number) expr()   {}
func (*String) expr()   {}
func (*Constant) expr() {}
func (*Vararg) expr()   {}
func (*Paren) expr()    {}
func (*Unary) expr()    {}
func (*Binary) expr()   {}
func (*Index) expr()    {}
func (*Call) expr()     {}
func (*Table) expr()    {}
