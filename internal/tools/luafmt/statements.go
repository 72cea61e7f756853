package luafmt

import "github.com/redmoon-lua/redmoon/luabridge/luatree"

// chunk prints the whole text.
func (b *builder) chunk() {
	if r := b.tree.Shebang; r.To > r.From {
		b.write(b.tree.Text(r)) // with the "\r" of a "\r\n"
		b.last = 1
		if b.lineBreakOf(r.To) == "\r" {
			b.ops[0].text = b.ops[0].text[:r.To-r.From-1]
		}
	}
	b.statements(b.tree.Main.Body, false)
	if len(b.ops) > 0 {
		b.add(hard)
	}
}

// lineBreakOf returns "\r" if the byte before an offset is one.
func (b *builder) lineBreakOf(offset int) string {
	if offset > 0 && b.tree.Source[offset-1] == '\r' {
		return "\r"
	}
	return ""
}

// block prints the statements between two tokens on lines of their own. The token behind is not
// printed.
func (b *builder) block(body *luatree.Block) {
	b.groupOf(opened)
	b.add(indent)
	b.statements(body, true)
	b.add(dedent)
	b.add(hard)
	b.add(closed)
}

// statements prints statements and the comments between and behind them. inner reports whether a
// token is before them.
func (b *builder) statements(body *luatree.Block, inner bool) {
	first := true
	for i, s := range body.Stmts {
		b.between(first, inner, false)
		first = false
		b.statement(s)
		if b.is(";") {
			if i+1 < len(body.Stmts) && endsInPrefix(s) && b.tokens[b.next+1].text == "(" {
				b.replaced(";") // without it the two would be one
			} else {
				b.drop()
			}
		}
	}
	b.between(first, inner, true)
}

// between prints the comments before the next token and, unless it ends the block, begins its line.
func (b *builder) between(first, inner, last bool) {
	t := b.peek()
	list := t.before
	t.before = nil
	together := false // the next token stands on the line of the last comment
	for _, c := range list {
		switch {
		case c.from <= b.last && b.last > 0:
			b.write(" ")
		case first:
			if inner || b.last > 0 {
				b.start(c.from, inner)
			}
			first = false
		default:
			b.newline(c.from)
		}
		b.comment(c)
		together = c.long && t.from <= c.to
	}
	switch {
	case last:
	case together:
		b.write(" ")
	case first:
		if inner || b.last > 0 {
			b.start(t.from, inner)
		}
	default:
		b.newline(t.from)
	}
}

// start begins the first line of a block, which has no empty line before it.
func (b *builder) start(at int, inner bool) {
	if inner {
		b.add(hard)
		return
	}
	b.newline(at)
}

// endsInPrefix reports whether a "(" behind a statement would continue it as a call.
func endsInPrefix(s luatree.Stmt) bool {
	var values []luatree.Expr
	switch s := s.(type) {
	case *luatree.CallStmt:
		return true
	case *luatree.LocalStmt:
		values = s.Values
	case *luatree.AssignStmt:
		values = s.Values
	case *luatree.RepeatStmt:
		values = []luatree.Expr{s.Cond}
	}
	if len(values) == 0 {
		return false
	}
	for e := values[len(values)-1]; ; {
		switch x := e.(type) {
		case *luatree.Unary:
			e = x.X
		case *luatree.Binary:
			e = x.R
		case *luatree.Name, *luatree.Index, *luatree.Call, *luatree.Paren:
			return true
		default:
			return false
		}
	}
}

func (b *builder) statement(s luatree.Stmt) {
	switch s := s.(type) {
	case *luatree.LocalStmt:
		b.want("local")
		b.space()
		b.names(s.Names)
		b.assigned(s.Values)
	case *luatree.AssignStmt:
		b.plainList(exprList(s.Targets))
		b.assigned(s.Values)
	case *luatree.CallStmt:
		b.expression(s.Call)
	case *luatree.DoStmt:
		b.want("do")
		b.block(s.Body)
		b.want("end")
	case *luatree.WhileStmt:
		b.want("while")
		b.condition(s.Cond, "do")
		b.block(s.Body)
		b.want("end")
	case *luatree.RepeatStmt:
		b.want("repeat")
		b.block(s.Body)
		b.want("until")
		b.space()
		b.expression(s.Cond)
	case *luatree.IfStmt:
		b.ifStatement(s)
	case *luatree.NumericFor:
		b.want("for")
		b.space()
		b.take()
		b.name("=")
		b.space()
		values := []luatree.Expr{s.First, s.Last}
		if s.Step != nil {
			values = append(values, s.Step)
		}
		b.plainList(exprList(values))
		b.name("do")
		b.block(s.Body)
		b.want("end")
	case *luatree.GenericFor:
		b.want("for")
		b.space()
		b.names(s.Vars)
		b.name("in")
		b.space()
		b.plainList(exprList(s.Values))
		b.name("do")
		b.block(s.Body)
		b.want("end")
	case *luatree.FunctionStmt:
		b.want("function")
		b.space()
		for b.peek().at < s.Target.Span().To {
			b.take()
		}
		b.function(s.Func)
	case *luatree.LocalFunction:
		b.want("local")
		b.name("function")
		b.space()
		b.take()
		b.function(s.Func)
	case *luatree.ReturnStmt:
		b.want("return")
		if len(s.Values) > 0 {
			if len(b.peek().before) > 0 {
				b.add(indent)
				defer b.add(dedent)
			}
			b.space()
			b.plainList(exprList(s.Values))
		}
	case *luatree.BreakStmt:
		b.want("break")
	}
}

func (b *builder) ifStatement(s *luatree.IfStmt) {
	for i, branch := range s.Branches {
		if i == 0 {
			b.want("if")
		} else {
			b.want("elseif")
		}
		b.condition(branch.Cond, "then")
		b.block(branch.Body)
	}
	if s.Else != nil {
		b.want("else")
		b.block(s.Else)
	}
	b.want("end")
}

// condition prints a condition and the keyword behind it, which gets a line of its own if the
// condition breaks at its operators.
func (b *builder) condition(cond luatree.Expr, keyword string) {
	b.space()
	x, ok := cond.(*luatree.Binary)
	if !ok {
		b.expression(cond)
		b.name(keyword)
		return
	}
	c := b.chainOf(x)
	if c.broken {
		b.chain(c, true)
		b.gap(hard)
		b.want(keyword)
		return
	}
	b.groupOf(open)
	b.add(nest)
	b.links(c)
	b.add(unnest)
	b.gap(line)
	b.want(keyword)
	b.add(closed)
}

// assigned prints "=" and the values of an assignment, if there are any.
func (b *builder) assigned(values []luatree.Expr) {
	if len(values) == 0 {
		return
	}
	b.name("=")
	if !b.breaks(b.next) {
		b.space()
		b.plainList(exprList(values))
		return
	}
	b.groupOf(opened)
	b.add(indent)
	b.gap(hard)
	x, chain := values[0].(*luatree.Binary)
	if chain && len(values) == 1 {
		b.chain(b.chainOf(x), false)
	} else {
		b.list(exprList(values), false)
	}
	b.add(dedent)
	b.add(closed)
}
