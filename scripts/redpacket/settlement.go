package redpacket

import (
	"encoding/json"
	"fmt"

	"github.com/redmoon-lua/redmoon/scripts/delayqueue"
)

// Settlement is the queue of what is to be settled: a message for each packet taken, and one for
// the refund. Its handler gets each message at least once. The ID of a message is its idempotency
// key, and [ParseRecord] reads its payload. It returns [delayqueue.ErrOptions].
func (a *Activity) Settlement(o delayqueue.Options) (*delayqueue.Queue, error) {
	return delayqueue.On(a.c, a.StreamKey(), o)
}

// ParseRecord reads the payload of a settlement message.
func ParseRecord(payload []byte) (Record, error) {
	var r Record
	if err := json.Unmarshal(payload, &r); err != nil {
		return Record{}, fmt.Errorf("redpacket: settlement: %w", err)
	}
	return r, nil
}
