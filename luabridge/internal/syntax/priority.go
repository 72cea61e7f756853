package syntax

// Priority returns how tightly a binary operator binds on each side. Both are 0 for other tokens.
func Priority(op Kind) (left, right int) {
	switch op {
	case '+', '-':
		return 6, 6
	case '*', '/', '%':
		return 7, 7
	case '^':
		return 10, 9
	case Concat:
		return 5, 4
	case Ne, Eq, '<', Le, '>', Ge:
		return 3, 3
	case And:
		return 2, 2
	case Or:
		return 1, 1
	}
	return 0, 0
}

// UnaryPriority is how tightly operators with one operand bind.
const UnaryPriority = 8
