package display

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"github.com/redmoon-lua/redmoon/engine"
)

// JSON appends v as one line of JSON. Nulls are null, lists and sets are arrays, maps are objects
// in the order of the reply. A key that is not a string is written as [Raw] writes it. An error is
// {"err":"ERR ..."}. Infinities are strings. Bytes that are not UTF-8 become U+FFFD.
func JSON(b []byte, v engine.Value) []byte {
	switch v.Kind() {
	case engine.KindNil, engine.KindNilArray, engine.KindNone:
		return append(b, "null"...)
	case engine.KindInt:
		return strconv.AppendInt(b, v.MustInt(), 10)
	case engine.KindBigNumber:
		return append(b, v.Text()...)
	case engine.KindBool:
		return strconv.AppendBool(b, v.MustBool())
	case engine.KindDouble:
		if f := v.MustFloat(); math.IsInf(f, 0) || math.IsNaN(f) {
			return jsonString(b, v.Text())
		}
		return append(b, v.Text()...)
	case engine.KindError:
		b = append(b, `{"err":`...)
		return append(jsonString(b, v.Text()), '}')
	case engine.KindArray, engine.KindSet, engine.KindPush:
		b = append(b, '[')
		for i, e := range v.Slice() {
			if i > 0 {
				b = append(b, ',')
			}
			b = JSON(b, e)
		}
		return append(b, ']')
	case engine.KindMap:
		return jsonObject(b, v.Slice())
	case engine.KindAttribute, engine.KindPushed:
		list := v.Slice()
		return JSON(b, list[len(list)-1])
	}
	return jsonString(b, v.Text())
}

func jsonObject(b []byte, list []engine.Value) []byte {
	b = append(b, '{')
	for i, e := range list {
		switch {
		case i%2 == 1:
			b = JSON(append(b, ':'), e)
			continue
		case i > 0:
			b = append(b, ',')
		}
		b = jsonString(b, string(raw(nil, e)))
	}
	return append(b, '}')
}

func jsonString(b []byte, s string) []byte {
	buf := bytes.NewBuffer(b)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string can always be encoded
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}
