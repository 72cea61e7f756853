package redpacket

import (
	"fmt"
	"strconv"
	"strings"
)

// Packet is one red packet.
type Packet struct {
	ID     string `json:"id"`
	Amount int64  `json:"amount"` // cents
}

// text is the packet as it is stored: "rest cents id". rest is the number of cents in this packet
// and in all packets behind it. When the packet is the next one, the amount given out so far is the
// total minus rest.
func (p Packet) text(rest int64) string {
	return strconv.FormatInt(rest, 10) + " " + strconv.FormatInt(p.Amount, 10) + " " + p.ID
}

func parsePacket(text string) (Packet, error) {
	_, packet, _ := strings.Cut(text, " ")
	cents, id, ok := strings.Cut(packet, " ")
	amount, err := strconv.ParseInt(cents, 10, 64)
	if !ok || err != nil {
		return Packet{}, fmt.Errorf("redpacket: stored packet %q is not \"rest cents id\"", text)
	}
	return Packet{ID: id, Amount: amount}, nil
}

// Record says who took a packet, or that the sender got back what was left.
type Record struct {
	Packet
	User   string `json:"user"`
	Refund bool   `json:"refund,omitempty"` // true only on the settlement stream
}
