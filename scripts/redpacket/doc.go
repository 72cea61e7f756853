// Package redpacket hands out prepared red packets. Each packet goes to one user, and each user
// gets at most one packet of an activity, no matter how many users grab at the same time. What is
// left when the activity expires goes back to its sender.
//
// An [Activity] goes through these steps: [Split] divides the money, [Activity.Open] loads the
// packets, users call [Activity.Grab], and [Activity.Expire] closes it. The amounts given out, left
// and refunded add up to the total at every moment. Every call may be repeated: after an error that
// leaves open whether the call was carried out, such as a lost connection, make the call again.
//
// An activity uses five keys. They share the hash tag {name}, so one script can change them all on
// a Redis Cluster too. User ids never appear in a key name.
//
//	redpacket:{name}:activity     hash: total, deadline, sender and so on
//	redpacket:{name}:packets      list of the packets that are left, each "rest cents id"
//	redpacket:{name}:grabbed      hash: user to packet
//	redpacket:{name}:records      list of records, oldest first
//	redpacket:{name}:settlement   stream to be settled: an entry for each record and for the refund,
//	                              with the fields id (of the packet) and payload (the record)
//
// A record is the JSON of a [Record]: {"id":…,"amount":…,"user":…}. The settlement stream is the
// ready stream of the queue [Activity.Settlement]. Its ids are idempotency keys. Packet ids must
// therefore be unique among all activities that are settled in one place.
//
// Amounts are whole cents, from 1 to [MaxAmount].
package redpacket
