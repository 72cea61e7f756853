package datastore

// Describe reads the value of the key that Next has returned last, and says what it is. The value
// is built, so that the errors are those of loading it, and dropped. The value of a module is
// skipped, if it can be.
func (f *FileReader) Describe() (ValueInfo, error) {
	_, info, err := f.described()
	return info, err
}

// Elements is Describe, and calls each for each element of the value, until each returns false.
func (f *FileReader) Elements(each func(Element) bool) (ValueInfo, error) {
	o, info, err := f.described()
	if o != nil {
		eachElement(o, each)
	}
	return info, err
}

func (f *FileReader) described() (Object, ValueInfo, error) {
	at := f.r.Offset()
	info := ValueInfo{Kind: f.item.ValueKind}
	var o Object
	if f.err == nil && f.pending && info.Kind == rdbModule2 {
		f.pending = false
		info.Module, info.Elements = moduleName(f.r.Length()), -1
		f.r.skipModule()
	} else if f.beginValue(at) {
		if o = f.r.valueOf(byte(info.Kind)); o != nil {
			info.Elements = elements(o)
		} else {
			f.r.Fail()
		}
	}
	if f.err == nil && f.r.Bad {
		f.malformed(at)
	}
	if f.err != nil {
		return nil, ValueInfo{}, f.err
	}
	info.Size = f.r.Offset() - at
	return o, info, nil
}

// elements returns the number of elements of a value, or the bytes of a string.
func elements(o Object) int64 {
	if s, ok := o.(*String); ok {
		return int64(len(s.Text()))
	}
	return int64(o.Len())
}

func eachElement(o Object, each func(Element) bool) {
	switch o := o.(type) {
	case *String:
		each(Element{Text: o.Text()})
	case *List:
		o.Ascend(0, func(_ int, text string) bool { return each(Element{Text: text}) })
	case *Set:
		o.All(func(member string) bool { return each(Element{Text: member}) })
	case *ZSet:
		o.Ascend(0, o.Len(), func(it ZItem) bool { return each(Element{Text: it.Member, Score: it.Score}) })
	case *Hash:
		o.each(func(field, value string, at int64) bool {
			return each(Element{Text: field, Value: value, ExpireAt: at})
		})
	case *Stream:
		o.Range(StreamID{}, MaxStreamID, func(e *StreamEntry) bool { return each(Element{ID: e.ID, Pairs: e.AppendPairs(nil)}) })
	}
}
