package grab

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/redmoon-lua/redmoon/internal/money"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

// Options of a run.
type Options struct {
	// Activity names the activity, or the first part of the names where there are several; nothing of that name may exist yet.
	Activity string
	// Activities is how many activities share the packets and the users. Default 1.
	Activities int
	// Packets is how many packets there are, at least 1.
	Packets int
	// Total is what is in all packets together, in cents; at least a cent a packet.
	Total int64
	// Workers is how many goroutines grab at once, at least 1.
	Workers int
	// Users is how many users come. Default: a tenth more than packets, and at least one more.
	Users int
	// Cancel makes workers give up calls at random moments; they try again afterwards.
	Cancel bool
	// Patience is how long a user comes again when calls fail, as those to a server that is being restarted do. Default: not at all.
	Patience time.Duration
	// Strategy divides the total among the packets.
	Strategy redpacket.Strategy
}

// sender is to whom the rest goes back.
const sender = "sender"

func (o *Options) check() error {
	switch {
	case o.Packets < 1:
		return errors.New("there must be at least one packet")
	case o.Workers < 1:
		return errors.New("there must be at least one worker")
	case o.Activities < 0:
		return errors.New("the number of activities is negative")
	case o.Users < 0:
		return errors.New("the number of users is negative")
	}
	if o.Users == 0 {
		o.Users = o.Packets + o.Packets/10 + 1
	}
	if o.Activities == 0 {
		o.Activities = 1
	}
	if o.Activities > o.Packets {
		return errors.New("there must be a packet for each activity")
	}
	return nil
}

// prepare makes the packets: random amounts that sum exactly to the total.
func (o *Options) prepare(r *rand.Rand) ([]redpacket.Packet, error) {
	amounts, err := redpacket.Split(o.Total, o.Packets, o.Strategy, r)
	if err != nil {
		return nil, fmt.Errorf("%s for %d packets: %w", money.Format(o.Total), o.Packets, err)
	}
	packets := make([]redpacket.Packet, len(amounts))
	for i, amount := range amounts {
		packets[i] = redpacket.Packet{ID: packetID(i), Amount: amount}
	}
	return packets, nil
}

// name is the name of activity i.
func (o *Options) name(i int) string {
	if o.Activities == 1 {
		return o.Activity
	}
	return o.Activity + "-" + strconv.Itoa(i)
}

// share is what activity i gets of the packets: every nth, as it gets every nth user.
func (o *Options) share(packets []redpacket.Packet, i int) []redpacket.Packet {
	var list []redpacket.Packet
	for ; i < len(packets); i += o.Activities {
		list = append(list, packets[i])
	}
	return list
}

func packetID(i int) string { return "p" + strconv.Itoa(i) }

func userID(n int) string {
	var b [20]byte // one allocation, for this is within the measured loop
	return string(strconv.AppendInt(append(b[:0], 'u'), int64(n), 10))
}

// round is how many attempts belong together: the last of each round is a second one of
// the user who came first in it.
const round = 20

// attempts is how many attempts it takes until every user has come.
func attempts(users int) int { return users + (users-1)/(round-1) }

// user is the number of the user that attempt i is of.
func user(i int) int {
	first := i / round * (round - 1)
	if i%round == round-1 {
		return first
	}
	return first + i%round
}
