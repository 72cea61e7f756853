// Package stock sells what there is a limited number of: a flash sale.
//
// A buyer reserves an order, of one item or of several, all or nothing; pays; and confirms it. A reservation that is released, or not
// confirmed in time, returns to the stock by itself. However many buy at once, an item is never sold more often than it was supplied, and
// of each item, at every moment,
//
//	left + reserved + sold = supplied
//
// Each order has a token, chosen by the caller. A call whose outcome is unknown is made again with the same token, and is harmless: the token
// stands for the one order. All of a sale lives in keys that share the hash tag {sale}, so that one script is one atomic step on a Redis Cluster too:
//
//	stock:{sale}:items     hash: the phase, and of each item its quota and counters, MessagePack
//	stock:{sale}:orders    hash of token to order, MessagePack; and of the serial of a unit to the token of the order that has it, empty when none has
//	stock:{sale}:due       sorted set of tokens by the time in µs at which something is to be done: end the reservation, or forget the order
//	stock:{sale}:users     hash: how many of an item a user has reserved and bought
//	stock:{sale}:units     hash: the units that are left, of items sold by units, numbered as a queue
//
// Time is that of the engine or server.
package stock
