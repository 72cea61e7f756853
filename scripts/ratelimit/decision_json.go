package ratelimit

import (
	"encoding/json"
	"time"

	"github.com/redmoon-lua/redmoon/scripts/internal/script"
)

// decisionJSON is a Decision with its durations in milliseconds.
type decisionJSON struct {
	*plainDecision
	RetryAfter script.JSONMillis `json:"retryAfterMs"`
	ResetAfter script.JSONMillis `json:"resetAfterMs"`
}

type plainDecision Decision

// MarshalJSON implements json.Marshaler. The durations are retryAfterMs and
// resetAfterMs, in milliseconds.
func (d Decision) MarshalJSON() ([]byte, error) {
	return json.Marshal(decisionJSON{(*plainDecision)(&d), script.JSONMillis(d.RetryAfter), script.JSONMillis(d.ResetAfter)})
}

// UnmarshalJSON reads what MarshalJSON returns.
func (d *Decision) UnmarshalJSON(text []byte) error {
	v := decisionJSON{plainDecision: (*plainDecision)(d)}
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	d.RetryAfter = time.Duration(v.RetryAfter)
	d.ResetAfter = time.Duration(v.ResetAfter)
	return nil
}
