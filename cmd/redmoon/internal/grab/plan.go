package grab

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/redmoon-lua/redmoon/internal/base/money"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

// Options of a run.
type Options struct {
	// Activity is the name of the activity, or the prefix of the names if there are several. No
	// activity with these names may exist.
	Activity string
	// Activities is the number of activities that share the packets and the users. Default: 1.
	Activities int
	// Packets is the number of packets, at least 1.
	Packets int
	// Total is the sum of all packets in cents, at least one cent for each packet.
	Total int64
	// Workers is the number of goroutines that make calls, at least 1.
	Workers int
	// Users is the number of users. Default: one tenth more than packets, and at least one more.
	Users int
	// Cancel makes workers cancel calls at random moments and repeat them.
	Cancel bool
	// Patience is how long a call that fails is repeated, for example while a server restarts.
	// Default: not at all.
	Patience time.Duration
	// Strategy divides the total among the packets.
	Strategy redpacket.Strategy
	// Rand chooses random amounts. Default: a source with a random seed.
	Rand *rand.Rand
}

// sender receives the refunds.
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

// prepare makes packets whose amounts add up to the total.
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

// name returns the name of activity i.
func (o *Options) name(i int) string {
	if o.Activities == 1 {
		return o.Activity
	}
	return o.Activity + "-" + strconv.Itoa(i)
}

// share returns the packets of activity i: every nth packet, as it gets every nth user.
func (o *Options) share(packets []redpacket.Packet, i int) []redpacket.Packet {
	var list []redpacket.Packet
	for ; i < len(packets); i += o.Activities {
		list = append(list, packets[i])
	}
	return list
}

func packetID(i int) string { return "p" + strconv.Itoa(i) }

func userID(n int) string {
	var b [20]byte // one allocation, because this is in the measured loop
	return string(strconv.AppendInt(append(b[:0], 'u'), int64(n), 10))
}

// round is the number of attempts in a round. The last attempt of each round is a second attempt of
// the first user in it.
const round = 20

// attempts returns the number of attempts until every user has made one.
func attempts(users int) int { return users + (users-1)/(round-1) }

// user returns the number of the user that makes attempt i.
func user(i int) int {
	first := i / round * (round - 1)
	if i%round == round-1 {
		return first
	}
	return first + i%round
}
