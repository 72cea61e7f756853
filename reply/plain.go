package reply

// Plain returns the value as plain Go values, which can be compared with reflect.DeepEqual and so
// by require.Equal of testify, and which encoding/json can write:
//
//   - a null is nil,
//   - a text of any kind is a string, an integer an int64, a double a float64, a boolean a bool,
//   - an error is an *[Error],
//   - a list (array, set, push) is a []any, empty but not nil if it has no elements,
//   - a map is a map[string]any by the texts of its fields; it becomes a []any, field, value,
//     field, value ..., if a field is a list or a map, or two fields have the same text.
//
// Of a value with attributes or pushed messages it is the value alone.
func (v Value) Plain() any {
	switch v.Kind() {
	case KindNil, KindNilArray, KindNone:
		return nil
	case KindInt:
		return v.MustInt()
	case KindDouble:
		return v.MustFloat()
	case KindBool:
		return v.MustBool()
	case KindError:
		return v.Err().(*Error)
	case KindArray, KindSet, KindPush:
		return plainList(v.Slice())
	case KindMap:
		if m, ok := plainMap(v.Slice()); ok {
			return m
		}
		return plainList(v.Slice())
	case KindAttribute, KindPushed:
		all := v.Slice()
		return all[len(all)-1].Plain()
	}
	return v.Text()
}

func plainList(vs []Value) []any {
	list := make([]any, len(vs))
	for i, v := range vs {
		list[i] = v.Plain()
	}
	return list
}

// plainMap returns a map, and false if its fields are not different texts.
func plainMap(fv []Value) (map[string]any, bool) {
	m := make(map[string]any, len(fv)/2)
	for i := 0; i+1 < len(fv); i += 2 {
		switch fv[i].Plain().(type) {
		case []any, map[string]any:
			return nil, false
		}
		m[fv[i].Text()] = fv[i+1].Plain()
	}
	return m, len(m) == len(fv)/2
}
