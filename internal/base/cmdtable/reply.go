package cmdtable

import "strings"

// ReplyKind is a set of kinds of values, as RESP2 has them.
type ReplyKind uint16

// The kinds.
const (
	ReplyInt    ReplyKind = 1 << iota
	ReplyText             // a bulk string
	ReplyNumber           // a bulk string that is a number, such as a score
	ReplyOK               // the simple string OK
	ReplyStatus           // another simple string
	ReplyNil              // the null of a bulk string or of an array
	ReplyArray            // see Reply.Elements
	ReplyAny              // unknown
)

var replyWords = map[string]ReplyKind{"int": ReplyInt, "text": ReplyText, "number": ReplyNumber, "ok": ReplyOK, "status": ReplyStatus,
	"nil": ReplyNil, "any": ReplyAny}

// Reply says what a command replies with when it has no error.
type Reply struct {
	Kinds ReplyKind
	// Elements are the kinds of the elements of an array: those of one element, or of two that
	// alternate.
	Elements []ReplyKind
	Map      bool // the array is a map in RESP3
}

// Replies are the replies of a command. Options decide which one it gives.
type Replies struct {
	Usual Reply
	Other []OtherReply // the first one whose condition holds is given in place of Usual
}

// OtherReply is the reply of a command line with some arguments.
type OtherReply struct {
	Least  int      // the line has at least so many arguments, with the name; or, if it is 0:
	Tokens []string // one of these keywords is among the arguments
	From   int      // from this place on
	Reply  Reply
}

// Replies parses the row's Reply: alternatives with semicolons between them, the usual one first.
//
//	int, text, number, ok, status, any   a kind; see ReplyKind
//	nil                                  nothing
//	[K]                                  an array of K
//	[K L]                                an array in which K and L alternate
//	{K L}                                the same, which is a map in RESP3
//	K|L                                  one of them
//	TOKEN,TOKEN: K                       K, if one of the keywords is among the optional arguments
//	TOKEN@N: K                           K, if the keyword is at place N or behind it
//	#N: K                                K, if there are at least N arguments, with the name
//
// It panics when Reply is malformed; a test parses that of all rows.
func (s *Spec) Replies() Replies {
	var r Replies
	for i, part := range strings.Split(s.Reply, "; ") {
		when, kinds, found := strings.Cut(part, ": ")
		if i == 0 {
			r.Usual = s.reply(part)
			continue
		}
		if !found {
			panic("command " + s.Name + ": reply " + part + " has no condition")
		}
		other := OtherReply{Reply: s.reply(kinds), From: s.MinArgs}
		if n, ok := strings.CutPrefix(when, "#"); ok {
			other.Least = digits(n)
		} else {
			names, at, given := strings.Cut(when, "@")
			if given {
				other.From = digits(at)
			}
			other.Tokens = strings.Split(names, ",")
		}
		r.Other = append(r.Other, other)
	}
	return r
}

func digits(text string) (n int) {
	for _, c := range []byte(text) {
		n = n*10 + int(c-'0')
	}
	return n
}

func (s *Spec) reply(text string) (r Reply) {
	for text != "" {
		var word string
		switch text[0] {
		case '[', '{':
			r.Map = text[0] == '{'
			word, text, _ = strings.Cut(text[1:], string(text[0]+2)) // the closing bracket, in ASCII
			for _, element := range strings.Fields(word) {
				r.Elements = append(r.Elements, s.reply(element).Kinds)
			}
			r.Kinds |= ReplyArray
			text = strings.TrimPrefix(text, "|")
		default:
			word, text, _ = strings.Cut(text, "|")
			kind, ok := replyWords[word]
			if !ok {
				panic("command " + s.Name + ": no kind of reply: " + word)
			}
			r.Kinds |= kind
		}
	}
	if r.Kinds == 0 {
		panic("command " + s.Name + ": its row does not say what it replies with")
	}
	return r
}

// To returns the reply to a command line.
func (r *Replies) To(args []string) Reply {
	for _, o := range r.Other {
		if o.Least > 0 && len(args) >= o.Least || o.Least == 0 && hasToken(args, o.From, o.Tokens) {
			return o.Reply
		}
	}
	return r.Usual
}

func hasToken(args []string, from int, tokens []string) bool {
	for _, a := range args[min(from, len(args)):] {
		for _, t := range tokens {
			if strings.EqualFold(a, t) {
				return true
			}
		}
	}
	return false
}
