// Package goredis connects Redmoon with go-redis (github.com/redis/go-redis/v9), in both
// directions.
//
// [New] runs scripts and commands on a real server, on Sentinel or on a Redis Cluster:
//
//	rdb := redis.NewClusterClient(&redis.ClusterOptions{Addrs: addrs})
//	activity, err := redpacket.New(goredis.New(rdb), "new-year", redpacket.Options{})
//
// [Open] makes the go-redis client from a URL, so that a server, Sentinels and a cluster differ
// only in the URL:
//
//	rdb, err := goredis.Open("redis+cluster://localhost:7000")
//
// A [Client] is an [engine.Client], and so is an [engine.Engine]: code written for one runs on the
// other.
//
// [NewClient] returns a *redis.Client on an engine in this program: code written for go-redis runs
// without a server.
package goredis
