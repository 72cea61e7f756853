package main

import (
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/luabridge/cjson"
	lua "github.com/yuin/gopher-lua"
	json "layeh.com/gopher-json"
)

// smallDocument has 200 bytes.
const smallDocument = `{"redPacketId":"rp:000017","userId":"user:00000042","amount":1250,"rate":0.0125,"ok":true,` +
	`"note":"Happy \"New Year\" \u00e9\n","items":[{"qty":2,"sku":"a"},{"qty":3,"sku":"b"}],` +
	`"from":{"city":"Oslo"}}`

// largeDocument has about 10 KB: an order of many lines.
func largeDocument() string {
	var b strings.Builder
	b.WriteString(`{"orderId":"order:2026:0000042","userId":"user:000000042","amount":88912.5,` +
		`"note":"gift\twrapped \u2014 \"fragile\"","items":[`)
	for i := range 45 {
		if i > 0 {
			b.WriteString(",\n ")
		}
		fmt.Fprintf(&b, `{"sku":"sku-%05d","name":"Item no. %d of the \"spring\" list","qty":%d,`+
			`"price":%d.%02d,"stock":%v,"discount":null,`+
			`"url":"https:\/\/shop.example.com\/p\/%d","tags":["new","caf\u00e9",%d],"size":{"w":%d,"h":%d.5}}`,
			i*37, i, i%5+1, 10+i*3, i*7%100, i%3 != 0, 100000+i*91, i*i, 10+i, 20+i)
	}
	b.WriteString(`],"createdAt":1767225600123}`)
	return b.String()
}

// jsonChunk returns a chunk that decodes and encodes a document n times and returns a summary of
// the last text.
func jsonChunk(document string, n int) string {
	return fmt.Sprintf(`local doc, text = [==[%s]==], nil
for i = 1, %d do text = cjson.encode(cjson.decode(doc)) end
local back = cjson.decode(text)
local sum = 0
for i = 1, #back.items do sum = sum + back.items[i].qty + #back.items[i].sku end
return sum .. ':' .. back.userId .. ':' .. back.note`, document, n)
}

// runJSON measures decode followed by encode, called by a script, and called by Go on an unmodified
// gopher-lua state.
func runJSON(ps []player, opt options) ([]record, error) {
	var records []record
	for _, d := range []struct {
		name, text string
		n          int
	}{
		{"200 bytes", smallDocument, 200},
		{"10 KB", largeDocument(), 5},
	} {
		rs, err := raceChunk(ps, subject{fmt.Sprintf("%s, %d times by a script", d.name, d.n), jsonChunk(d.text, d.n)}, opt)
		if err != nil {
			return nil, fmt.Errorf("cjson, %s: %w", d.name, err)
		}
		records = append(records, rs...)
		if rs, err = raceGoJSON(d.name+", by Go", d.text, opt); err != nil {
			return nil, fmt.Errorf("cjson, %s: %w", d.name, err)
		}
		records = append(records, rs...)
	}
	return records, nil
}

func raceGoJSON(name, text string, opt options) ([]record, error) {
	l := lua.NewState()
	defer l.Close()
	codec, data := cjson.New(), []byte(text)
	ns, err := race([]runner{
		{playBare, func() error {
			v, err := json.Decode(l, data)
			if err == nil {
				_, err = json.Encode(v)
			}
			return err
		}},
		{playRedmoon, func() error {
			v, problem := codec.Decode(l, text)
			if problem == "" {
				_, problem = codec.Encode(v)
			}
			if problem != "" {
				return fmt.Errorf("cjson: %s", problem)
			}
			return nil
		}},
	}, opt)
	if err != nil {
		return nil, err
	}
	return []record{{name, playBare, ns[0]}, {name, playRedmoon, ns[1]}}, nil
}

var jsonRatios = []comparison{
	{heading: "gopher-json ÷ cjson", over: playBare, under: playRedmoon, least: 2},
	{heading: "cjson ÷ redis", over: playRedmoon, under: playRedis},
}
