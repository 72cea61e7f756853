package luatree

// Walk calls visit for n and for every node below it, in the order of the source. It does not enter
// a node for which visit returns false. Blocks and functions are nodes; n may be nil.
func Walk(n Node, visit func(Node) bool) {
	if n == nil || !visit(n) {
		return
	}
	each(n, func(child Node) { Walk(child, visit) })
}

// each calls f for the children of a node.
func each(n Node, f func(Node)) {
	switch n := n.(type) {
	case *Block:
		for _, s := range n.Stmts {
			f(s)
		}
	case *Function:
		f(n.Body)
	case *LocalStmt:
		exprs(n.Values, f)
	case *AssignStmt:
		exprs(n.Targets, f)
		exprs(n.Values, f)
	case *CallStmt:
		f(n.Call)
	case *DoStmt:
		f(n.Body)
	case *WhileStmt:
		f(n.Cond)
		f(n.Body)
	case *RepeatStmt:
		f(n.Body)
		f(n.Cond)
	case *IfStmt:
		for _, b := range n.Branches {
			f(b.Cond)
			f(b.Body)
		}
		if n.Else != nil {
			f(n.Else)
		}
	case *NumericFor:
		f(n.First)
		f(n.Last)
		if n.Step != nil {
			f(n.Step)
		}
		f(n.Body)
	case *GenericFor:
		exprs(n.Values, f)
		f(n.Body)
	case *FunctionStmt:
		f(n.Target)
		f(n.Func)
	case *LocalFunction:
		f(n.Func)
	case *ReturnStmt:
		exprs(n.Values, f)
	default:
		operands(n, f)
	}
}

// operands calls f for the children of an expression.
func operands(n Node, f func(Node)) {
	switch n := n.(type) {
	case *Paren:
		f(n.X)
	case *Unary:
		f(n.X)
	case *Binary:
		f(n.L)
		f(n.R)
	case *Index:
		f(n.X)
		f(n.Key)
	case *Call:
		f(n.Func)
		if n.Method != nil {
			f(n.Method)
		}
		exprs(n.Args, f)
	case *Table:
		for _, field := range n.Fields {
			if field.Key != nil {
				f(field.Key)
			}
			f(field.Value)
		}
	}
}

func exprs(list []Expr, f func(Node)) {
	for _, e := range list {
		f(e)
	}
}
