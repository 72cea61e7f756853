package miniredis

import (
	"testing"
	"time"
)

func TestKeysOfBoth(t *testing.T) {
	requireTwins(t,
		call("Keys"), call("Exists", "k"), call("Type", "k"), call("TTL", "k"), call("Del", "k"), call("Unlink", "k"),
		call("Set", "k", "v"), call("Set", "j", "v"), call("HSet", "h", "f", "v"), call("Push", "l", "a"),
		call("Keys"), call("Exists", "k"), call("Type", "k"), call("Type", "h"), call("Type", "l"),
		call("Del", "k"), call("Unlink", "j"), call("Keys"),
		call("Select", 3), call("Keys"), call("Set", "of3", "v"), call("Keys"), in(3, "Keys"), in(0, "Keys"), call("Select", 0),
		call("SwapDB", 0, 3), call("Keys"), send("KEYS *"), call("SwapDB", 0, 3),
		call("Copy", 0, "none", 0, "x"), call("Copy", 0, "h", 3, "copy"), in(3, "HGet", "copy", "f"), call("Copy", 0, "h", 0, "h"),
		call("Copy", 3, "of3", 0, "h"), call("Type", "h"),
		in(3, "FlushDB"), in(3, "Keys"), call("FlushDB"), call("Keys"), in(5, "Set", "k", "v"), call("FlushAll"), in(5, "Keys"),
	)
}

func TestStringsOfBoth(t *testing.T) {
	requireTwins(t,
		call("Get", "k"), call("Set", "k", "a\x00b"), call("Get", "k"), send("GET k"), call("SetTTL", "k", time.Minute),
		call("Set", "k", "5"),
		call("TTL", "k"), call("Incr", "k", 3), call("Incr", "k", -10), call("Incr", "new", 1), call("Incrfloat", "k", 0.5),
		call("IncrByFloat", "k", 0.25), call("Get", "k"), call("Incr", "k", 1), call("Incrfloat", "f", 3.0), call("Get", "f"),
		call("Set", "k", "word"), call("Incr", "k", 1), call("Incrfloat", "k", 1.0),
		call("Set", "k", "9223372036854775807"), call("Incr", "k", 1), call("Incr", "k", -1),
		call("Push", "l", "a"), call("Get", "l"), call("Set", "l", "v"), call("Incr", "l", 1), call("Incrfloat", "l", 1.0),
	)
}

func TestHashesOfBoth(t *testing.T) {
	requireTwins(t,
		call("HKeys", "h"), call("HGet", "h", "f"), call("HDel", "h", "f"), call("HSet", "h", "g", "1", "f", "2", "odd"),
		call("HKeys", "h"),
		call("HGet", "h", "f"), call("HGet", "h", "none"), call("HDel", "h", "none"), call("HDel", "h", "f"), call("HKeys", "h"),
		call("HIncr", "h", "n", 5), call("HIncrBy", "h", "n", -7), call("HIncrfloat", "h", "x", 1.5),
		call("HIncrByFloat", "h", "x", 1.0),
		call("HGet", "h", "x"), call("HIncr", "h", "x", 1), call("HSet", "h", "w", "word"), call("HIncr", "h", "w", 1),
		call("HIncrfloat", "h", "w", 1.0), call("HIncr", "made", "n", 1),
		call("Set", "s", "v"), call("HKeys", "s"), call("HGet", "s", "f"), call("HDel", "s", "f"),
		call("HSet", "s", "f", "v"), call("Type", "s"),
		call("Set", "s2", "v"),
		call("HIncr", "s2", "n", 1).but("0 ErrWrongType", "miniredis replaces the key"),
		call("HDel", "made", "n"), call("Exists", "made").but("false", "miniredis keeps an empty hash"),
	)
}

func TestTimesOfFieldsOfBoth(t *testing.T) {
	requireTwins(t,
		call("HExpire", "h", "f", time.Minute), call("HTTL", "h", "f"), call("HPersist", "h", "f"),
		call("HSet", "h", "f", "1", "g", "2"), call("HExpire", "h", "none", time.Minute), call("HTTL", "h", "f"),
		call("HPersist", "h", "f"),
		call("HExpire", "h", "f", time.Minute), call("HTTL", "h", "f"), send("HTTL h FIELDS 2 f g"),
		call("FastForward", 59*time.Second), call("HTTL", "h", "f"), call("HGet", "h", "f"), call("FastForward", time.Second),
		call("HGet", "h", "f"), call("HKeys", "h"), call("HSetEX", "h", time.Second, "g", "3", "i", "4"), call("HTTL", "h", "g"),
		call("HPersist", "h", "i"), call("FastForward", time.Second), call("HKeys", "h"),
		call("HExpire", "h", "i", time.Second), call("FastForward", time.Minute), call("Exists", "h"),
		call("HSetEX", "h2", time.Minute, "f", "1"),
		call("HSet", "h2", "f", "2"), call("HTTL", "h2", "f").but("0s", "HSET removes the time of a field"),
	)
}

func TestListsOfBoth(t *testing.T) {
	requireTwins(t,
		call("List", "l"), call("Pop", "l"), call("Lpop", "l"), call("RPop", "l"), call("Push", "l", "a", "b"),
		call("RPush", "l", "c"),
		call("Lpush", "l", "z"), call("List", "l"), call("Lpop", "l"), call("Pop", "l"), call("RPop", "l"), call("Lpop", "l"),
		call("Exists", "l"), call("Set", "s", "v"), call("List", "s"), call("Push", "s", "a"), call("Lpush", "s", "a"),
		call("Pop", "s"),
		call("Lpop", "s"), in(2, "Push", "l", "x"), in(2, "List", "l"),
	)
}

func TestSetsOfBoth(t *testing.T) {
	requireTwins(t,
		call("Members", "s"), call("SMembers", "s"), call("IsMember", "s", "a"), call("SIsMember", "s", "a"),
		call("SRem", "s", "a"),
		call("SCard", "s"), call("SRandMember", "s"), call("SetAdd", "s", "b", "a", "b"), call("SAdd", "s", "c", "a"),
		call("Members", "s"),
		call("SMembers", "s"), call("IsMember", "s", "a"), call("SIsMember", "s", "z"), call("SCard", "s"),
		call("SRem", "s", "a", "z"),
		call("SRem", "s", "b"), call("SRandMember", "s"), call("SRem", "s", "c"), call("Exists", "s"),
		call("Set", "k", "v"), call("Members", "k"), call("IsMember", "k", "a"), call("SetAdd", "k", "a"),
		call("SRem", "k", "a"), call("SCard", "k"),
		call("SRandMember", "k"),
	)
}

func TestSortedSetsOfBoth(t *testing.T) {
	requireTwins(t,
		call("ZMembers", "z"), call("SortedSet", "z"), call("ZRem", "z", "a"), call("ZScore", "z", "a"), call("ZMScore", "z", "a"),
		call("ZAdd", "z", 2.5, "b"), call("ZAdd", "z", 1.0, "a"), call("ZAdd", "z", 1.0, "A"), call("ZAdd", "z", 3.0, "b"),
		call("ZMembers", "z"),
		call("SortedSet", "z"), call("ZScore", "z", "b"), call("ZScore", "z", "none"), call("ZMScore", "z", "b", "none", "a"),
		in(0, "ZMScore", "z", []string{"a"}), call("ZRem", "z", "none"), call("ZRem", "z", "a"), call("ZMembers", "z"),
		call("Set", "k", "v"), call("ZMembers", "k"), call("SortedSet", "k"), call("ZAdd", "k", 1.0, "a"), call("ZRem", "k", "a"),
		call("ZScore", "k", "a"), call("ZMScore", "k", "a"),
		call("ZRem", "z", "A"), call("ZRem", "z", "b"), call("Exists", "z"),
	)
}

func TestStreamsOfBoth(t *testing.T) {
	requireTwins(t,
		call("Stream", "x"), call("XAdd", "x", "5-1", []string{"f", "1"}), call("XAdd", "x", "6", []string{"g", "2"}),
		call("Stream", "x"),
		call("XAdd", "x", "7-*", []string{"f", "3"}),
		call("XAdd", "x", "7-*", []string{"f", "4"}),
		call("XAdd", "x", "6-0", []string{"f", "v"}),
		call("SetTime", time.Unix(1_700_000_000, 0)), call("XAdd", "x", "", []string{"f", "5"}),
		call("XAdd", "x", "*", []string{"f", "6"}),
		send("XADD x * f 7"), call("XAdd", "x", "word", []string{"f", "v"}), call("XAdd", "x", "0-0", []string{"f", "v"}),
		call("Set", "k", "v"), call("XAdd", "k", "*", []string{"f", "v"}), call("Stream", "k"), call("Dump"),
	)
}

func TestHyperLogLogsOfBoth(t *testing.T) {
	requireTwins(t,
		call("PfAdd", "p", "a", "b"), call("PfAdd", "p", "a"), call("PfCount", "p"), call("PfCount", "none"),
		call("Type", "p"), call("Get", "p"),
		call("PfAdd", "q", "c"), call("PfMerge", "p", "q", "none"), call("PfCount", "p"), in(0, "HllAdd", "p", "d"),
		in(0, "HllCount", "p"),
		in(0, "HllMerge", "p", "q"),
		call("PfCount", "p", "q").but("4 <nil>", "miniredis adds the counts up, Redis counts the union"),
		call("Set", "k", "v"), call("PfAdd", "k", "a"), call("PfCount", "k"), call("PfMerge", "p", "k"),
		call("Push", "l", "a"), call("PfAdd", "l", "a"),
		call("PfCount", "l"),
		send("TYPE p").but("\"+string\\r\\n\" <nil>", "a HyperLogLog is a string"),
	)
}

func TestTimeOfBoth(t *testing.T) {
	now := time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC)
	requireTwins(t,
		call("Set", "k", "v"), call("SetTTL", "k", time.Minute), call("TTL", "k"), send("TTL k"), send("PTTL k"),
		call("FastForward", 10*time.Second),
		call("TTL", "k"), call("FastForward", 49*time.Second+999*time.Millisecond), call("Exists", "k"),
		call("FastForward", time.Millisecond),
		call("Exists", "k"), send("TTL k"),
		call("SetTime", now), send("TIME"), send("SET k v EX 100"), call("SetTime", now.Add(time.Hour)), send("TTL k"),
		send("TIME"),
		call("FastForward", time.Second), send("TIME"), send("PTTL k"), send("EXPIREAT k 1748782860"), send("PTTL k"),
		call("SetTime", now.Add(-time.Hour)), send("PTTL k"), send("EXPIREAT k 1748782860"), send("PTTL k"),
		send("SETEX s 10 v"), send("GETEX s EX 20"), call("TTL", "s"), call("Set", "s", "w"), call("TTL", "s"),
		send("PERSIST k"), call("TTL", "k"),
		send("EXPIRETIME k"), send("EXPIRE k 100"), send("EXPIRETIME k"), call("FastForward", 500*time.Millisecond),
		send("PEXPIRETIME k"),
		send("TTL k").but("\":100\\r\\n\" <nil>", "TTL rounds to the nearest second"),
		call("SetTTL", "none", time.Minute), call("TTL", "none").but("0s", "a key that does not exist has no time to live"),
		call("SetTTL", "k", 1500*time.Microsecond), call("TTL", "k").but("2ms", "times to live are in milliseconds"),
		call("SetTTL", "k", 0*time.Second), call("Exists", "k"),
		call("TTL", "k").but("1ms", "a time to live is at least a millisecond"),
		call("FastForward", time.Millisecond), call("Exists", "k"),
	)
}

func TestClockTTLOfBoth(t *testing.T) {
	now := time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC)
	requireTwins(t,
		call("SetTime", now), call("ClockTTL", true), send("SET k v EX 100"), call("SetTime", now.Add(30*time.Second)),
		send("TTL k"),
		call("SetTime", now), send("TTL k"), call("SetTime", now.Add(10*time.Second)), send("TTL k"),
		call("FastForward", 10*time.Second),
		send("TTL k"), call("ClockTTL", false), call("SetTime", now.Add(time.Hour)), send("TTL k"), call("ClockTTL", true),
		call("SetTime", now.Add(time.Hour+49*time.Second)), send("TTL k"),
		call("SetTime", now.Add(time.Hour+50*time.Second)), call("Exists", "k"),
		send("HSET h f 1 g 2"), call("HExpire", "h", "f", time.Second), call("SetTime", now.Add(2*time.Hour)), call("HKeys", "h"),
	)
}

func TestServersOfBoth(t *testing.T) {
	requireTwins(t,
		call("CommandCount"), call("CurrentConnectionCount"), call("TotalConnectionCount"), send("PING"), send("NOSUCH").but(
			"\"-ERR unknown command 'NOSUCH', with args beginning with: \\r\\n\" <nil>", "the text is Redis's"),
		call("CommandCount"), send("GET"), call("CommandCount"), send("MULTI"), send("SET k v"), send("EXEC"), call("CommandCount"),
		send("EVAL return(redis.call('GET','k')) 0"), call("CommandCount"),
		call("IsReadOnlyCommand", "get"), call("IsReadOnlyCommand", "SET"), call("IsReadOnlyCommand", "nosuch"),
		call("SetError", "LOADING not yet"), send("PING"), send("NOSUCH"), send("MULTI"), call("Get", "k"),
		call("SetError", ""), send("PING"),
		send("MULTI"), call("SetError", "ERR no"), send("SET k w"), call("SetError", ""), send("EXEC"), call("Get", "k"),
		call("CommandCount"),
		call("PubSubChannels", ""), call("PubSubNumPat"), call("PubSubNumSub", "a"), call("Publish", "a", "b"),
		call("Dump"),
	)
}

func TestDumpOfBoth(t *testing.T) {
	long := "This is a rather long value, with some fox jumping over a fence or something."
	requireTwins(t,
		call("Set", "s", long), call("Set", "white", "a\nb\tc"), call("Push", "l", "a", long), call("SetAdd", "set", "b", "a"),
		call("ZAdd", "z", 1.5, "m"), call("HSet", "h", "g", "1", "f", long),
		call("XAdd", "x", "1-1", []string{"f", "v", "g", "w"}), call("Dump"),
		call("Select", 1), call("Dump"),
	)
}

func TestClusterOfBoth(t *testing.T) {
	const why = "miniredis always says 163"
	requireTwins(t,
		send("CLUSTER KEYSLOT {test_key}").but("\":15118\\r\\n\" <nil>", why),
		send("CLUSTER KEYSLOT foo").but("\":12182\\r\\n\" <nil>", why),
		send("CLUSTER SLOTS"), send("CLUSTER NODES"), send("CLUSTER SHARDS"), send("MULTI"), send("CLUSTER SLOTS"), send("DISCARD"),
		call("RequireAuth", "secret"),
	)
}
