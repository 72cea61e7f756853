package keycmds

import (
	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// sorting is a parsed SORT.
type sorting struct {
	desc, alpha   bool
	offset, limit int64       // of LIMIT; limit < 0: none
	by            *sortLookup // nil: the elements themselves
	unsorted      bool        // BY without a star: as the elements stand
	gets          []sortLookup
	store         bool
	storeKey      string
	readsAll      bool // the user may read whatever BY and GET name
	cluster       patternRules
}

func sortCmd(c *server.Ctx) reply.Value { return sort(c, true) }
func sortRO(c *server.Ctx) reply.Value  { return sort(c, false) }

func sort(c *server.Ctx, mayStore bool) reply.Value {
	s := &sorting{limit: -1, readsAll: c.Session.User.ReadsAllKeys(c.Spec, c.Args, c.Server.PlaceOf(c.Session)), cluster: patternRulesOf(c)}
	if e, ok := s.parse(c.Args[2:], mayStore); !ok {
		return e
	}
	entry := c.DB.Lookup(c.Args[1])
	c.CountLookup(entry != nil, c.Args[1])
	var obj datastore.Object = c.Server.Store.NewList()
	if entry != nil {
		obj = entry.Object()
	}
	var elements []sortElement
	switch obj := obj.(type) {
	case *datastore.List:
		elements = s.ofList(obj)
	case *datastore.Set:
		// The results of scripts and stored results must not depend on the order of a hash table.
		if s.unsorted && (s.store || c.Door.FromScript()) {
			s.unsorted, s.alpha, s.by = false, true, nil
		}
		elements = s.ofSet(obj)
	case *datastore.ZSet:
		c.DB.Expand(entry)
		elements = s.ofZSet(obj)
	default:
		return server.WrongType()
	}
	if !s.unsorted {
		from, to := s.span(len(elements))
		if !s.weigh(c, elements) {
			return reply.Err("ERR One or more scores can't be converted into double")
		}
		s.sort(elements, from, to)
		elements = elements[from:to]
	}
	if s.store {
		return s.storeResult(c, elements)
	}
	return s.answer(c, elements)
}

// parse reads the options. When ok is false the reply is the error.
func (s *sorting) parse(args []string, mayStore bool) (errReply reply.Value, ok bool) {
	for len(args) > 0 {
		a, left := args[0], len(args)-1
		switch {
		case parse.IsToken(a, "asc"):
			s.desc = false
		case parse.IsToken(a, "desc"):
			s.desc = true
		case parse.IsToken(a, "alpha"):
			s.alpha = true
		case parse.IsToken(a, "limit") && left >= 2:
			if s.offset, ok = parse.Int(args[1]); ok {
				s.limit, ok = parse.Int(args[2])
			}
			if !ok {
				return reply.Err(errtext.NotInteger), false
			}
			args = args[2:]
		case mayStore && parse.IsToken(a, "store") && left >= 1:
			s.store, s.storeKey, args = true, args[1], args[1:]
		case parse.IsToken(a, "by") && left >= 1:
			by := newSortLookup(args[1])
			switch {
			case by.star && s.cluster.deny(args[1]):
				return s.cluster.denied("BY"), false
			case by.star && !s.readsAll:
				return reply.Err("ERR BY option of SORT denied due to insufficient ACL permissions."), false
			}
			s.by, s.unsorted, args = &by, s.unsorted || !by.star, args[1:]
		case parse.IsToken(a, "get") && left >= 1:
			switch {
			case s.cluster.denyGet(args[1]):
				return s.cluster.denied("GET"), false
			case !s.readsAll:
				return reply.Err("ERR GET option of SORT denied due to insufficient ACL permissions."), false
			}
			s.gets, args = append(s.gets, newSortLookup(args[1])), args[1:]
		default:
			return reply.Err(errtext.Syntax), false
		}
		args = args[1:]
	}
	return errReply, true
}

// span returns the part from to to-1 of n elements that LIMIT selects.
func (s *sorting) span(n int) (from, to int) {
	size := int64(n)
	start := min(max(s.offset, 0), size)
	if s.limit < 0 {
		return int(start), n
	}
	return int(start), int(start + min(s.limit, size-start))
}

// ofList returns the elements to sort or, if unsorted, those to return, in their order.
func (s *sorting) ofList(l *datastore.List) []sortElement {
	n := l.Len()
	from, to := 0, n
	if s.unsorted {
		from, to = s.span(n)
	}
	out := make([]sortElement, 0, to-from)
	add := func(_ int, el string) bool {
		if len(out) < to-from {
			out = append(out, sortElement{text: el})
		}
		return len(out) < to-from
	}
	if s.unsorted && s.desc {
		l.Descend(n-1-from, add)
	} else {
		l.Ascend(from, add)
	}
	return out
}

// ofSet is ofList for a set, which cannot be read backwards.
func (s *sorting) ofSet(set *datastore.Set) []sortElement {
	out := make([]sortElement, 0, set.Len())
	set.All(func(m string) bool {
		out = append(out, sortElement{text: m})
		return true
	})
	if s.unsorted {
		from, to := s.span(len(out))
		return out[from:to]
	}
	return out
}

// ofZSet is ofList for a sorted set.
func (s *sorting) ofZSet(z *datastore.ZSet) []sortElement {
	n := z.Len()
	from, to := 0, n
	if s.unsorted {
		from, to = s.span(n)
	}
	out := make([]sortElement, 0, to-from)
	add := func(it datastore.ZItem) bool {
		out = append(out, sortElement{text: it.Member})
		return true
	}
	if s.unsorted && s.desc {
		z.Descend(n-1-from, to-from, add)
	} else {
		z.Ascend(from, to-from, add)
	}
	return out
}

func (s *sorting) answer(c *server.Ctx, elements []sortElement) reply.Value {
	out := make([]reply.Value, 0, len(elements)*max(1, len(s.gets)))
	for _, el := range elements {
		if s.gets == nil {
			out = append(out, reply.Bulk(el.text))
		}
		for i := range s.gets {
			if text, ok := s.gets[i].get(c, el.text); ok {
				out = append(out, reply.Bulk(text))
			} else {
				out = append(out, reply.Nil())
			}
		}
	}
	return reply.Array(out...)
}

// storeResult stores the result as a list under the key of STORE. Values that GET does not find are
// empty.
func (s *sorting) storeResult(c *server.Ctx, elements []sortElement) reply.Value {
	l := c.Server.Store.NewList()
	for _, el := range elements {
		if s.gets == nil {
			l.PushBack(el.text)
		}
		for i := range s.gets {
			text, _ := s.gets[i].get(c, el.text)
			l.PushBack(text)
		}
	}
	if l.Settle(); l.Len() > 0 {
		c.DB.Put(s.storeKey, l)
		c.EmitN(int64(l.Len()), datastore.ClassList, "sortstore", s.storeKey)
	} else if c.DB.Delete(s.storeKey) { // deletes an expired key too
		c.Emit(datastore.ClassGeneric, "del", s.storeKey)
	}
	return reply.Int(int64(l.Len()))
}
