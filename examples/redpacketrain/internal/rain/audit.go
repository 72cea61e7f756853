package rain

import (
	"context"
	"fmt"

	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/ledger"
	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/page"
	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/settle"
	"github.com/redmoon-lua/redmoon/internal/base/money"
	"github.com/redmoon-lua/redmoon/scripts/delayqueue"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

// recordsAtOnce is how many records are read at a time.
const recordsAtOnce = 5000

// tally is what the audit counts, over all activities.
type tally struct {
	records, users, packets     int64 // records of grabs, and how many users and packets are in them
	strange                     int64 // records of packets that were not prepared so
	returned, unreturned, wrong int64 // users to whom Grab returned their packet, no packet, and another packet
	given                       int64 // cents in records

	settled, again, missing  int64 // settlements of grabs, those with another key for the same packet, records without one
	unfounded, differ        int64 // settlements without a record, and with another user, packet or amount
	settledCents             int64
	refunds, refundsExpected int64
	refunded, refundOwed     int64 // cents
	waiting, dead            int64 // messages

	balances, accounts int64 // accounts that are out of balance, and all
}

// audit joins what is in Redis with what is in the ledger.
func (r *Run) audit(ctx context.Context) error {
	r.enter(page.Audit, int64(len(r.activities)), nil)
	var t tally
	for i := range r.activities {
		if err := r.count(ctx, &t, i); err != nil {
			return fmt.Errorf("audit: %w", err)
		}
		r.step(int64(i + 1))
	}
	t.wrong += int64(r.crowd.odd)
	names, accounts, err := r.o.Ledger.Unbalanced(ctx)
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	t.balances, t.accounts = int64(len(names)), accounts
	r.report.Findings = t.findings(r.o.Total)
	r.enter(page.Done, 1, func(s *page.State) {
		r.final(s, t)
		s.Findings, s.OK = r.report.Findings, r.report.OK()
	})
	return nil
}

// count adds an activity to the tally.
func (r *Run) count(ctx context.Context, t *tally, i int) error {
	a := r.activities[i]
	status, err := a.Status(ctx)
	if err != nil {
		return err
	}
	records, err := allRecords(ctx, a.Activity)
	if err != nil {
		return err
	}
	t.count(records, a.packets, r.crowd.returned[i])
	if status.Returned > 0 {
		t.refundsExpected++
		t.refundOwed += status.Refunded
	}
	stored := map[string]ledger.Settlement{}
	err = r.o.Ledger.Each(ctx, a.name, func(s ledger.Settlement) error {
		stored[s.Key] = s
		return nil
	})
	if err != nil {
		return err
	}
	t.join(a.name, records, stored, redpacket.Record{
		Packet: redpacket.Packet{ID: a.RefundID(), Amount: status.Refunded}, User: sender, Refund: true,
	})
	return r.countQueue(ctx, t, r.queues[i])
}

func (r *Run) countQueue(ctx context.Context, t *tally, q *delayqueue.Queue) error {
	status, err := q.Status(ctx)
	if err != nil {
		return err
	}
	t.waiting += status.Ready + status.InHand + status.Delayed
	t.dead += status.Dead
	letters, err := q.DeadLetters(ctx, "", 10)
	r.report.DeadLetters = append(r.report.DeadLetters, letters...)
	return err
}

// count counts the records of an activity against what was prepared and what Grab returned to
// users.
func (t *tally) count(records []redpacket.Record, prepared []redpacket.Packet, returned map[string]redpacket.Packet) {
	amounts := make(map[string]int64, len(prepared))
	for _, p := range prepared {
		amounts[p.ID] = p.Amount
	}
	users, packets := make(map[string]bool, len(records)), make(map[string]bool, len(records))
	for _, record := range records {
		users[record.User], packets[record.ID] = true, true
		t.given += record.Amount
		if amounts[record.ID] != record.Amount {
			t.strange++
		}
		switch p, ok := returned[record.User]; {
		case !ok:
			t.unreturned++
		case p != record.Packet:
			t.wrong++
		default:
			t.returned++
		}
	}
	for user := range returned {
		if !users[user] {
			t.wrong++
		}
	}
	t.records += int64(len(records))
	t.users += int64(len(users))
	t.packets += int64(len(packets))
}

// join joins the records of an activity with its settlements; refund is the one that there has to
// be if anything was left.
func (t *tally) join(name string, records []redpacket.Record, stored map[string]ledger.Settlement, refund redpacket.Record) {
	packets := map[string]bool{}
	for _, s := range stored {
		if s.Kind == ledger.Refund {
			t.refunds++
			t.refunded += s.Cents
			if s != settle.Settlement(name, refund) {
				t.differ++
			}
			continue
		}
		t.settled++
		t.settledCents += s.Cents
		if packets[s.Packet] {
			t.again++
		}
		packets[s.Packet] = true
	}
	for _, record := range records {
		want := settle.Settlement(name, record)
		switch s, ok := stored[want.Key]; {
		case !ok:
			t.missing++
		case s != want:
			t.differ++
		}
		delete(stored, want.Key)
	}
	delete(stored, settle.Settlement(name, refund).Key)
	t.unfounded += int64(len(stored))
}

// findings are the answers.
func (t *tally) findings(total int64) []page.Finding {
	line := func(name string, ok bool, format string, args ...any) page.Finding {
		return page.Finding{Name: name, OK: ok, Detail: fmt.Sprintf(format, args...)}
	}
	return []page.Finding{
		line("no user twice", t.users == t.records, "%s users in %s records", money.Count(t.users), money.Count(t.records)),
		line("no packet twice", t.packets == t.records && t.strange == 0, "%s packets in %s records, %d not as prepared",
			money.Count(t.packets), money.Count(t.records), t.strange),
		line("users know what they have", t.wrong == 0 && t.unreturned == 0, "%s returned, %d of another packet, %d not returned",
			money.Count(t.returned), t.wrong, t.unreturned),
		line("every grab is settled exactly once", t.settled == t.records && t.missing == 0 && t.again == 0 && t.unfounded == 0,
			"%s settlements of %s grabs, %d missing, %d twice, %d unfounded", money.Count(t.settled), money.Count(t.records), t.missing, t.again,
			t.unfounded),
		line("same user, packet and cents", t.differ == 0, "%d settlements differ from their records", t.differ),
		line("what is left is refunded once", t.refunds == t.refundsExpected && t.refunded == t.refundOwed, "%d refunds of %d due, %s of %s",
			t.refunds, t.refundsExpected, money.Format(t.refunded), money.Format(t.refundOwed)),
		line("the money adds up", t.settledCents == t.given && t.settledCents+t.refunded == total, "%s settled and %s refunded of %s",
			money.Format(t.settledCents), money.Format(t.refunded), money.Format(total)),
		line("balances are sums of settlements", t.balances == 0, "%s accounts, %d out of balance", money.Count(t.accounts), t.balances),
		line("nothing waits", t.waiting == 0 && t.dead == 0, "%d messages in the queues, %d dead letters", t.waiting, t.dead),
	}
}

func allRecords(ctx context.Context, a *redpacket.Activity) (all []redpacket.Record, err error) {
	for {
		some, err := a.Records(ctx, len(all), recordsAtOnce)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
		if len(some) < recordsAtOnce {
			return all, nil
		}
	}
}
