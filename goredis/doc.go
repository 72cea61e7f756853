// Package goredis runs Redmoon's scripts on real servers through go-redis: one server, Sentinel or a Redis Cluster.
//
//	rdb := redis.NewClusterClient(&redis.ClusterOptions{Addrs: addrs})
//	activity, err := redpacket.New(goredis.New(rdb), "new-year")
//
// A [Client] is an [engine.Client], as an [engine.Engine] is: what is written for the one runs on the other.
package goredis
