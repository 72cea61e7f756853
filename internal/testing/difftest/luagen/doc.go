// Package luagen makes random Lua programs for the comparison of Redmoon with the oracle.
//
// [Program] makes valid ones. They end, because every loop is bounded and functions that are called
// often run out of fuel, and their answers depend only on the program: no addresses, no
// clock, no table walked that has tables for keys. What a program sees on its way it writes to a
// trace, most of which it returns.
//
// [Break] damages a program for the comparison of syntax errors. [Shrink] cuts one down to what
// shows a difference.
package luagen
