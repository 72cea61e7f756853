// Package goredis joins Redmoon and go-redis, both ways.
//
// [New] runs scripts and commands on a real server, Sentinel or a Redis Cluster:
//
//	rdb := redis.NewClusterClient(&redis.ClusterOptions{Addrs: addrs})
//	activity, err := redpacket.New(goredis.New(rdb), "new-year")
//
// A [Client] is an [engine.Client], as an [engine.Engine] is: what is written for the one runs on
// the other.
//
// [NewClient] is a *redis.Client on an engine in this program: code that is written for go-redis
// runs without a server.
package goredis
