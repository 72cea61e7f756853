package scripts_test

import (
	"encoding"
	"encoding/json"
	"reflect"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/scripts/coupon"
	"github.com/redmoon-lua/redmoon/scripts/delayqueue"
	"github.com/redmoon-lua/redmoon/scripts/lock"
	"github.com/redmoon-lua/redmoon/scripts/ratelimit"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
	"github.com/redmoon-lua/redmoon/scripts/stock"
)

var someTime = time.Date(2024, 1, 2, 3, 4, 5, 678_901_000, time.UTC)

// results are a value of each type that the ready scripts return, with its JSON.
var results = []struct {
	value any
	text  string
}{
	{redpacket.Grab{Packet: redpacket.Packet{ID: "p1", Amount: 888}, Outcome: redpacket.AlreadyGrabbed},
		`{"id":"p1","amount":888,"outcome":"already grabbed"}`},
	{redpacket.Status{State: redpacket.Open, Packets: 3, Left: 2, Users: 1, Records: 1, Total: 9, Given: 4},
		`{"state":"open","packets":3,"left":2,"returned":0,"users":1,"records":1,"total":9,"given":4,"refunded":0}`},
	{redpacket.View{State: redpacket.Due, Left: 7}, `{"state":"due","has":false,"left":7}`},
	{redpacket.Refund{ID: "r", User: "boss", Packets: 2, Amount: 5}, `{"id":"r","user":"boss","packets":2,"amount":5}`},
	{redpacket.Record{Packet: redpacket.Packet{ID: "p1", Amount: 888}, User: "ann"}, `{"id":"p1","amount":888,"user":"ann"}`},
	{coupon.Receipt{Outcome: coupon.Claimed, Token: "t", Fields: coupon.Fields{"user": "ann"}, At: someTime},
		`{"outcome":"claimed","token":"t","fields":{"user":"ann"},"at":"2024-01-02T03:04:05.678901Z"}`},
	{coupon.Usage{Limit: coupon.Limit{Name: "user-day", Scope: []string{"user"}, Window: coupon.Day, Max: 2}, Used: 1, ResetAt: someTime},
		`{"limit":{"name":"user-day","scope":["user"],"window":"day","max":2},"used":1,"resetAt":"2024-01-02T03:04:05.678901Z"}`},
	{stock.Order{Token: "t", User: "ann", Lines: []stock.Line{{Item: "tv", Quantity: 1, Serials: []string{"s1"}}},
		State: stock.Reserved, At: someTime},
		`{"token":"t","user":"ann","lines":[{"item":"tv","quantity":1,"serials":["s1"]}],"state":"reserved","at":"2024-01-02T03:04:05.678901Z"}`},
	{stock.Order{}, `{"token":"","user":"","lines":null,"state":""}`},
	{stock.Status{Phase: stock.Preparing, Items: []stock.ItemStatus{
		{Item: stock.Item{Name: "tv", Strategy: stock.Units, Quota: 1}, Left: 5, Supplied: 5},
	}},
		`{"phase":"preparing","items":[{"name":"tv","strategy":"units","quota":1,"left":5,"reserved":0,"sold":0,"supplied":5}]}`},
	{stock.Swept{Expired: 1}, `{"expired":1,"forgotten":0}`},
	{ratelimit.Decision{Outcome: ratelimit.Limited, Limit: 10, RetryAfter: 1500*time.Millisecond + time.Microsecond, ResetAfter: time.Minute},
		`{"outcome":"limited","limit":10,"remaining":0,"retryAfterMs":1500.001,"resetAfterMs":60000}`},
	{lock.Status{Held: true, Owner: "o", Token: 7, Holds: 1, Remaining: 3 * time.Second},
		`{"held":true,"owner":"o","token":7,"holds":1,"waiters":0,"remainingMs":3000}`},
	{delayqueue.Status{Ready: 1, Lag: 20 * time.Millisecond, Committed: 9},
		`{"ready":1,"inHand":0,"delayed":0,"dead":0,"ids":0,"consumers":0,"committed":9,"retried":0,"died":0,"lagMs":20}`},
	{delayqueue.DeadLetter{Entry: "1-0", ID: "a", Payload: []byte("hi"), Attempts: 3, Reason: "no"},
		`{"entry":"1-0","id":"a","payload":"aGk=","attempts":3,"reason":"no"}`},
	{delayqueue.Message{ID: "a", Payload: []byte("hi")}, `{"id":"a","payload":"aGk="}`},
}

func TestResultsInJSON(t *testing.T) {
	for _, c := range results {
		text, err := json.Marshal(c.value)
		require.NoError(t, err)
		require.Equal(t, c.text, string(text))
		back := reflect.New(reflect.TypeOf(c.value))
		require.NoError(t, json.Unmarshal(text, back.Interface()))
		require.Equal(t, c.value, back.Elem().Interface(), "what JSON says can be read back")
	}
}

// Names in JSON begin with a small letter, and enumerated types are words.
func TestResultsHaveTheSameStyleInJSON(t *testing.T) {
	var walk func(typ reflect.Type)
	walk = func(typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Slice:
			walk(typ.Elem())
		case reflect.Int:
			if typ != reflect.TypeFor[int]() {
				require.Implements(t, (*encoding.TextMarshaler)(nil), reflect.Zero(typ).Interface())
			}
		case reflect.Struct:
			if typ == reflect.TypeFor[time.Time]() {
				return
			}
			for _, f := range reflect.VisibleFields(typ) {
				tag := f.Tag.Get("json")
				if f.Anonymous || tag == "-" {
					continue
				}
				require.NotEmpty(t, tag, "%v.%s", typ, f.Name)
				require.True(t, unicode.IsLower(rune(tag[0])), "%v.%s: %q", typ, f.Name, tag)
				walk(f.Type)
			}
		}
	}
	for _, c := range results {
		walk(reflect.TypeOf(c.value))
	}
}

func TestTextsOfEnumeratedTypesAreChecked(t *testing.T) {
	_, err := json.Marshal(redpacket.Outcome(77))
	require.ErrorContains(t, err, "redpacket.Outcome: there is no value 77")
	var o redpacket.Outcome
	require.ErrorContains(t, json.Unmarshal([]byte(`"stolen"`), &o), `redpacket.Outcome: "stolen" is none of ["unknown" "grabbed"`)
	var d ratelimit.Decision
	require.ErrorContains(t, json.Unmarshal([]byte(`{"retryAfterMs":1e300}`), &d), "too long")
}
