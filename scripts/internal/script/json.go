package script

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"
)

// JSONMillis is a duration that JSON shows as a number of milliseconds, with up to six decimals.
type JSONMillis time.Duration

// MarshalJSON implements json.Marshaler.
func (d JSONMillis) MarshalJSON() ([]byte, error) {
	whole, rest := int64(d)/1e6, int64(d)%1e6
	if rest == 0 {
		return strconv.AppendInt(nil, whole, 10), nil
	}
	return json.Marshal(float64(whole) + float64(rest)/1e6)
}

// UnmarshalJSON implements json.Unmarshaler.
func (d *JSONMillis) UnmarshalJSON(text []byte) error {
	var ms float64
	if err := json.Unmarshal(text, &ms); err != nil {
		return err
	}
	ns := math.Round(ms * 1e6)
	if math.Abs(ns) >= math.MaxInt64 {
		return fmt.Errorf("a duration of %s milliseconds is too long", text)
	}
	*d = JSONMillis(ns)
	return nil
}
