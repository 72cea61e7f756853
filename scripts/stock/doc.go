// Package stock sells items of which there is a limited number, as in a flash sale.
//
// A buyer reserves an order of one or several items, all or nothing; pays; and confirms the order.
// A reservation that is released, or not confirmed in time, returns to the stock by itself. No
// matter how many users buy at the same time, an item is never sold more often than it was
// supplied, and at every moment, for each item,
//
//	left + reserved + sold = supplied
//
// Each order has a token that the caller chooses. A call whose outcome is unknown is repeated with
// the same token; this is harmless, because a token stands for one order. All keys of a sale share
// the hash tag {name}, so one script is one atomic step on a Redis Cluster too:
//
//	stock:{name}:items     hash: the phase; item to quota and counters, as MessagePack
//	stock:{name}:orders    hash: token to order, as MessagePack; serial of a unit to the token of the
//	                       order that has it, empty if none has
//	stock:{name}:due       sorted set: token by the time in µs at which its reservation ends or the
//	                       order is forgotten
//	stock:{name}:users     hash: how many of an item a user has reserved and bought
//	stock:{name}:units     hash: the units that are left, for items sold by unit, numbered as a queue
//
// The clock is that of the engine or server.
package stock
