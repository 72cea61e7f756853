// Package sample picks random elements, for SRANDMEMBER, HRANDFIELD and ZRANDMEMBER.
package sample
