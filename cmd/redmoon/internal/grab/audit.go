package grab

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/money"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

// Finding is the result of one check of an audit.
type Finding struct {
	Name   string // the condition that must hold
	OK     bool
	Detail string // the numbers that were compared
}

// page is the number of records in one reply.
const page = 5000

// stored is the stored data of all activities.
type stored struct {
	status  redpacket.Status // sums of the numbers
	records []redpacket.Record
	settled []redpacket.Record // messages of the settlement streams
}

// Audit reads the stored data and compares it with the prepared packets and with the answers that
// the workers received.
//
// exact says that a call whose context has ended has certainly not been run. If it is false, as on
// a network, such a call may have stored a grab, and the user finds out by calling again.
func (r *Run) Audit(ctx context.Context, exact bool) ([]Finding, error) {
	s, err := r.read(ctx)
	if err != nil {
		return nil, err
	}
	findings := []Finding{r.auditUsers(s), r.auditPackets(s), r.auditMoney(s), r.auditLeft(s)}
	if r.refunds != nil {
		findings = append(findings, r.auditRefund(s))
	}
	return append(findings, r.auditSettlement(s), r.auditAnswers(s, exact)), nil
}

// read reads the data of all activities.
func (r *Run) read(ctx context.Context) (*stored, error) {
	s := &stored{}
	for _, a := range r.activities {
		one, err := a.Status(ctx)
		if err != nil {
			return nil, err
		}
		s.status.Packets += one.Packets
		s.status.Left += one.Left
		s.status.Returned += one.Returned
		s.status.Users += one.Users
		s.status.Records += one.Records
		s.status.Total += one.Total
		s.status.Given += one.Given
		s.status.Refunded += one.Refunded
		for offset := 0; ; offset += page {
			some, err := a.Records(ctx, offset, page)
			if err != nil {
				return nil, err
			}
			s.records = append(s.records, some...)
			if len(some) < page {
				break
			}
		}
		if s.settled, err = readSettlement(ctx, r.client, a.StreamKey(), s.settled); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// readSettlement appends the messages of a settlement stream to list.
func readSettlement(ctx context.Context, c engine.Client, key string, list []redpacket.Record) ([]redpacket.Record, error) {
	for from := "-"; ; {
		v, err := c.DoStrings(ctx, "XRANGE", key, from, "+", "COUNT", fmt.Sprint(page))
		if err != nil {
			return nil, err
		}
		for _, entry := range v.Slice() {
			parts := entry.Slice()
			from = "(" + parts[0].Text()
			fields := parts[1].Strings()
			var rec redpacket.Record
			if len(fields) != 4 || json.Unmarshal([]byte(fields[3]), &rec) != nil || rec.ID != fields[1] {
				rec = redpacket.Record{User: fmt.Sprintf("%q", fields)} // matches no record
			}
			list = append(list, rec)
		}
		if v.Len() < page {
			return list, nil
		}
	}
}

func (r *Run) auditUsers(s *stored) Finding {
	users := make(map[string]bool, len(s.records))
	for i := range s.records {
		users[s.records[i].User] = true
	}
	n := int64(len(s.records))
	return Finding{
		Name:   "no user twice",
		OK:     int64(len(users)) == n && s.status.Users == n && s.status.Records == n,
		Detail: fmt.Sprintf("%d users in %d records", len(users), n),
	}
}

func (r *Run) auditPackets(s *stored) Finding {
	prepared := r.prepared()
	wrong, ids := 0, make(map[string]bool, len(s.records))
	for i := range s.records {
		p := s.records[i].Packet
		if amount, ok := prepared[p.ID]; !ok || amount != p.Amount {
			wrong++
		}
		ids[p.ID] = true
	}
	return Finding{
		Name:   "no packet twice",
		OK:     len(ids) == len(s.records) && wrong == 0,
		Detail: fmt.Sprintf("%d packets in %d records, %d not as prepared", len(ids), len(s.records), wrong),
	}
}

// auditMoney adds up what was taken and what is left. What is left are the packets without a
// record: there must be as many of them as the lists hold and as went back. The sums that the
// activities keep must be the same.
func (r *Run) auditMoney(s *stored) Finding {
	rest := r.prepared()
	taken, left := int64(0), int64(0)
	for i := range s.records {
		taken += s.records[i].Amount
		delete(rest, s.records[i].ID)
	}
	for _, amount := range rest {
		left += amount
	}
	detail := money.Format(taken) + " taken"
	if left > 0 {
		detail += " and " + money.Format(left) + " left"
	}
	return Finding{
		Name: "the money adds up",
		OK: taken+left == r.o.Total && int64(len(rest)) == s.status.Left+s.status.Returned &&
			s.status.Total == r.o.Total && s.status.Given == taken,
		Detail: detail + " of " + money.Format(r.o.Total),
	}
}

// auditLeft checks that packets are left only if there were too few users.
func (r *Run) auditLeft(s *stored) Finding {
	want, left := int64(max(0, r.o.Packets-r.o.Users)), s.status.Left+s.status.Returned
	name := "none is left"
	if want > 0 {
		name = "the rest is left"
	}
	return Finding{
		Name:   name,
		OK:     left == want && int64(len(s.records))+left == int64(r.o.Packets),
		Detail: fmt.Sprintf("%d of %d packets in the list", left, r.o.Packets),
	}
}

// auditRefund checks that everything left was refunded once.
func (r *Run) auditRefund(s *stored) Finding {
	var refunded, packets, settled, count int64
	for _, refund := range r.refunds {
		refunded += refund.Amount
		packets += refund.Packets
	}
	for i := range s.settled {
		if s.settled[i].Refund && s.settled[i].User == sender {
			settled += s.settled[i].Amount
			count++
		}
	}
	want := int64(0)
	for _, refund := range r.refunds {
		if refund.Amount > 0 {
			want++
		}
	}
	return Finding{
		Name: "the rest went back",
		OK: s.status.Left == 0 && packets == s.status.Returned && refunded == s.status.Refunded && refunded == settled && count == want &&
			s.status.Given+refunded == r.o.Total,
		Detail: fmt.Sprintf("%s of %d packets in %d refunds", money.Format(settled), packets, count),
	}
}

// auditSettlement checks that the settlement streams hold each record once and nothing else, except
// for refunds.
func (r *Run) auditSettlement(s *stored) Finding {
	waiting := make(map[string]redpacket.Record, len(s.records))
	for i := range s.records {
		waiting[s.records[i].ID] = s.records[i]
	}
	wrong, grabs := 0, 0
	for i := range s.settled {
		rec := s.settled[i]
		if rec.Refund {
			continue
		}
		grabs++
		if waiting[rec.ID] != rec {
			wrong++
		}
		delete(waiting, rec.ID)
	}
	return Finding{
		Name:   "every grab is to be settled",
		OK:     wrong == 0 && len(waiting) == 0,
		Detail: fmt.Sprintf("%d messages, %d not as recorded, %d missing", grabs, wrong, len(waiting)),
	}
}

// auditAnswers checks that the answers that users received agree with the stored data, and that
// each user with a packet knows of it.
func (r *Run) auditAnswers(s *stored, exact bool) Finding {
	has := make(map[string]redpacket.Packet, len(s.records))
	for i := range s.records {
		has[s.records[i].User] = s.records[i].Packet
	}
	wrong, count, known := 0, 0, make(map[int]bool, len(s.records))
	for _, w := range r.workers {
		for _, t := range w.grabbed {
			count++
			known[t.user] = true
			if has[userID(t.user)] != t.packet {
				wrong++
			}
		}
	}
	twice := count - len(known)
	for _, w := range r.workers {
		for _, t := range w.repeated {
			if !exact {
				known[t.user] = true
			}
			if has[userID(t.user)] != t.packet {
				wrong++
			}
		}
	}
	unanswered := len(s.records) - len(known)
	return Finding{
		Name:   "users know what they have",
		OK:     wrong == 0 && unanswered == 0 && twice == 0,
		Detail: fmt.Sprintf("%d answered, %d of them wrongly, %d twice, %d not answered", len(known), wrong, twice, unanswered),
	}
}

// prepared returns the amount of each packet by its id.
func (r *Run) prepared() map[string]int64 {
	m := make(map[string]int64, len(r.packets))
	for _, p := range r.packets {
		m[p.ID] = p.Amount
	}
	return m
}
