// Package redpacket hands out prepared red packets: each packet to one user, each user at most
// one packet of an activity, however many grab at once.
//
// An [Activity] lives in three keys that share the hash tag {activity}, so that it works on a
// Redis Cluster too; user ids never appear in a key name:
//
//	redpacket:{activity}:packets   list of packets not yet taken, JSON {"id":…,"amount":…}
//	redpacket:{activity}:grabbed   hash of user to record
//	redpacket:{activity}:records   list of records for settlement, newest first,
//	                               JSON {"id":…,"amount":…,"user":…}
//
// Amounts are whole cents, from 1 to [MaxAmount].
package redpacket
