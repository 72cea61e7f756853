package rain

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/ledger"
	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/page"
	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/settle"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

// Options of a run. Those without a default must be given.
type Options struct {
	// Client is where the packets are, and On its name.
	Client engine.Client
	On     string
	// Ledger is where they are settled.
	Ledger *ledger.Ledger
	// Name begins the names of the activities; no run has had it before, except one that is to be
	// continued.
	Name string
	// Rand draws the amounts. A run that ended in the middle is continued by one with the same name,
	// the same numbers and a Rand of the same seed. Default: random.
	Rand *rand.Rand
	// Activities is how many activities the packets are spread over, and so over slots and masters.
	// Default 1.
	Activities int
	// Packets is how many packets there are in all; at least one an activity.
	Packets int
	// Total is what is in all packets together, in cents; at least a cent a packet.
	Total int64
	// Users is how many users come. Default: two in a hundred fewer than packets, so that something is
	// left for the sender.
	Users int
	// Workers is how many goroutines grab at the same time. Default 20.
	Workers int
	// Admit is called before attempt i of all, and returns when that may be made. It is called by
	// several goroutines. Default: immediately. [Evenly] is for users that come over a time.
	Admit func(ctx context.Context, i, all int) error
	// Consume runs consumers that settle the records of activities until its context ends. Default:
	// [settle.Run] with Settle.
	Consume func(ctx context.Context, activities []string) error
	// Settle are the options of the consumers.
	Settle settle.Options
	// Watch is called about every Interval with how the run stands, and at the beginning of each
	// stage; never twice at the same time. Default: nothing is called.
	Watch func(page.State)
	// Interval defaults to 250 ms.
	Interval time.Duration
	// Kills returns how often a consumer has been killed. Default: never.
	Kills func() int64
}

// sender is who has paid for the packets and gets back what is left.
const sender = "sender"

func (o *Options) check() error {
	if o.Activities == 0 {
		o.Activities = 1
	}
	if o.Workers == 0 {
		o.Workers = 20
	}
	if o.Users == 0 {
		o.Users = max(1, o.Packets-o.Packets/50)
	}
	if o.Interval <= 0 {
		o.Interval = 250 * time.Millisecond
	}
	if o.Watch == nil {
		o.Watch = func(page.State) {}
	}
	if o.Admit == nil {
		o.Admit = func(ctx context.Context, _, _ int) error { return ctx.Err() }
	}
	if o.Kills == nil {
		o.Kills = func() int64 { return 0 }
	}
	if o.Consume == nil {
		o.Consume = func(ctx context.Context, activities []string) error {
			return settle.Run(ctx, o.Client, o.Ledger, activities, "consumer", o.Settle)
		}
	}
	switch {
	case o.Activities < 1 || o.Workers < 1 || o.Users < 1:
		return errors.New("there must be at least one activity, one worker and one user")
	case o.Packets < o.Activities:
		return errors.New("there must be at least one packet an activity")
	case o.Total < int64(o.Packets):
		return errors.New("there must be at least one cent a packet")
	}
	return nil
}

// activity is one of a run's activities.
type activity struct {
	*redpacket.Activity
	name    string
	packets []redpacket.Packet
}

// prepare makes the activities and splits the money among their packets.
func (o *Options) prepare() ([]activity, error) {
	list := make([]activity, o.Activities)
	money := o.Total
	for i := range list {
		a := activity{name: fmt.Sprintf("%s-%d", o.Name, i)}
		var err error
		if a.Activity, err = redpacket.New(o.Client, a.name, redpacket.Options{Sender: sender}); err != nil {
			return nil, err
		}
		count := o.Packets*(i+1)/o.Activities - o.Packets*i/o.Activities
		share := max(int64(count), o.Total*int64(count)/int64(o.Packets))
		if i == len(list)-1 {
			share = money
		}
		money -= share
		amounts, err := redpacket.Split(share, count, redpacket.DoubleMean, o.Rand)
		if err != nil {
			return nil, fmt.Errorf("%d cents for %d packets: %w", share, count, err)
		}
		for n, amount := range amounts {
			a.packets = append(a.packets, redpacket.Packet{ID: fmt.Sprint("p", n), Amount: amount})
		}
		list[i] = a
	}
	return list, nil
}

// Evenly admits the attempts of users evenly over a time from the first one on.
func Evenly(over time.Duration) func(ctx context.Context, i, all int) error {
	start := sync.OnceValue(time.Now)
	return func(ctx context.Context, i, all int) error {
		return pause(ctx, time.Until(start().Add(time.Duration(float64(over)*float64(i)/float64(all)))))
	}
}
