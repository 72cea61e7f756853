package grab

import (
	"context"
	"fmt"

	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

// Finding is one question of an audit and its answer.
type Finding struct {
	Name   string // what must hold
	OK     bool
	Detail string // the numbers behind the answer
}

// page is how many records are read at a time.
const page = 5000

// Audit reads what is stored and compares it with the packets that were prepared and the answers that the workers
// got. Exact says that a call that was given up has certainly not been run; without it, as over a network, such
// a grab may be stored, and the user learns of it by coming again.
func (r *Run) Audit(ctx context.Context, exact bool) ([]Finding, error) {
	status, err := r.activity.Status(ctx)
	if err != nil {
		return nil, err
	}
	records, err := r.records(ctx)
	if err != nil {
		return nil, err
	}
	return []Finding{
		r.auditUsers(status, records),
		r.auditPackets(records),
		r.auditMoney(status, records),
		r.auditRest(status, records),
		r.auditTold(records, exact),
	}, nil
}

func (r *Run) records(ctx context.Context) ([]redpacket.Record, error) {
	var all []redpacket.Record
	for {
		some, err := r.activity.Records(ctx, len(all), page)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
		if len(some) < page {
			return all, nil
		}
	}
}

func (r *Run) auditUsers(status redpacket.Status, records []redpacket.Record) Finding {
	users := make(map[string]bool, len(records))
	for i := range records {
		users[records[i].User] = true
	}
	return Finding{
		Name:   "no user twice",
		OK:     len(users) == len(records) && status.Users == int64(len(records)) && status.Records == int64(len(records)),
		Detail: fmt.Sprintf("%d users in %d records", len(users), len(records)),
	}
}

func (r *Run) auditPackets(records []redpacket.Record) Finding {
	prepared := r.prepared()
	wrong, ids := 0, make(map[string]bool, len(records))
	for i := range records {
		p := records[i].Packet
		if amount, ok := prepared[p.ID]; !ok || amount != p.Amount {
			wrong++
		}
		ids[p.ID] = true
	}
	return Finding{
		Name:   "no packet twice",
		OK:     len(ids) == len(records) && wrong == 0,
		Detail: fmt.Sprintf("%d packets in %d records, %d not as prepared", len(ids), len(records), wrong),
	}
}

// auditMoney adds up what was taken and what is left: the packets without a record, of
// which there must be as many as the list holds.
func (r *Run) auditMoney(status redpacket.Status, records []redpacket.Record) Finding {
	rest := r.prepared()
	taken, left := int64(0), int64(0)
	for i := range records {
		taken += records[i].Amount
		delete(rest, records[i].ID)
	}
	for _, amount := range rest {
		left += amount
	}
	detail := Money(taken) + " taken"
	if left > 0 {
		detail += " and " + Money(left) + " left"
	}
	return Finding{
		Name:   "the money adds up",
		OK:     taken+left == r.o.Total && int64(len(rest)) == status.Left,
		Detail: detail + " of " + Money(r.o.Total),
	}
}

// auditRest checks that packets are left only where there were too few users.
func (r *Run) auditRest(status redpacket.Status, records []redpacket.Record) Finding {
	want := int64(max(0, r.o.Packets-r.o.Users))
	name := "none is left"
	if want > 0 {
		name = "the rest is left"
	}
	return Finding{
		Name:   name,
		OK:     status.Left == want && int64(len(records))+status.Left == int64(r.o.Packets),
		Detail: fmt.Sprintf("%d of %d packets in the list", status.Left, r.o.Packets),
	}
}

// auditTold checks that what users were told is what is stored, and that nobody has a packet unknowingly.
func (r *Run) auditTold(records []redpacket.Record, exact bool) Finding {
	stored := make(map[string]redpacket.Packet, len(records))
	for i := range records {
		stored[records[i].User] = records[i].Packet
	}
	wrong, known := 0, make(map[int]bool, len(records))
	check := func(t told) {
		known[t.user] = true
		if stored[userID(t.user)] != t.packet {
			wrong++
		}
	}
	count := 0
	for _, w := range r.workers {
		count += len(w.told)
		for _, t := range w.told {
			check(t)
		}
	}
	twice := count - len(known)
	if !exact {
		for _, w := range r.workers {
			for _, t := range w.found {
				check(t)
			}
		}
	}
	untold := len(records) - len(known)
	return Finding{
		Name:   "users know what they have",
		OK:     wrong == 0 && untold == 0 && twice == 0,
		Detail: fmt.Sprintf("%d told, %d of them wrongly, %d twice, %d not told", len(known), wrong, twice, untold),
	}
}

// prepared maps the packets to their amounts.
func (r *Run) prepared() map[string]int64 {
	m := make(map[string]int64, len(r.packets))
	for _, p := range r.packets {
		m[p.ID] = p.Amount
	}
	return m
}
