// Package redpacket hands out prepared red packets: each packet to one user, each user at most
// one packet of an activity, however many grab at once. What is left when the activity expires goes back to its sender.
//
// Life of an [Activity]: [Split] divides the money, [Activity.Open] loads the packets, users call [Activity.Grab] until
// [Activity.Expire] closes it. Given out, left and refunded add up to the total at every moment. All calls may be repeated:
// after an error that leaves open whether a call was carried out, such as a lost connection, the caller makes it again.
//
// It lives in five keys that share the hash tag {activity}, so that it works on a Redis Cluster too; user ids never appear
// in a key name:
//
//	redpacket:{activity}:activity     hash: total, deadline, sender …
//	redpacket:{activity}:packets      list of packets not yet taken, "rest cents id"
//	redpacket:{activity}:grabbed      hash of user to packet
//	redpacket:{activity}:records      list of records, oldest first
//	redpacket:{activity}:settlement   stream of what is to be settled, one entry for each record and one for the refund,
//	                                  with the fields id (the packet's) and payload (the record)
//
// A record is the JSON of a [Record]: {"id":…,"amount":…,"user":…}. The settlement stream is the ready stream of
// [Activity.Settlement]; its ids are idempotency keys, so packet ids must be unique among all activities that are settled in one place.
//
// Amounts are whole cents, from 1 to [MaxAmount].
package redpacket
