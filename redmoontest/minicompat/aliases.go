package miniredis

import "time"

// Keys is [RedisDB.Keys] of the selected database, as are all methods below.
func (m *Miniredis) Keys() []string { return m.db().Keys() }

// FlushDB is [RedisDB.FlushDB].
func (m *Miniredis) FlushDB() { m.db().FlushDB() }

// Del is [RedisDB.Del].
func (m *Miniredis) Del(k string) bool { return m.db().Del(k) }

// Unlink is [RedisDB.Unlink].
func (m *Miniredis) Unlink(k string) bool { return m.db().Unlink(k) }

// Exists is [RedisDB.Exists].
func (m *Miniredis) Exists(k string) bool { return m.db().Exists(k) }

// Type is [RedisDB.Type].
func (m *Miniredis) Type(k string) string { return m.db().Type(k) }

// TTL is [RedisDB.TTL].
func (m *Miniredis) TTL(k string) time.Duration { return m.db().TTL(k) }

// SetTTL is [RedisDB.SetTTL].
func (m *Miniredis) SetTTL(k string, ttl time.Duration) { m.db().SetTTL(k, ttl) }

// Get is [RedisDB.Get].
func (m *Miniredis) Get(k string) (string, error) { return m.db().Get(k) }

// Set is [RedisDB.Set].
func (m *Miniredis) Set(k, v string) error { return m.db().Set(k, v) }

// Incr is [RedisDB.Incr].
func (m *Miniredis) Incr(k string, delta int) (int, error) { return m.db().Incr(k, delta) }

// Incrfloat is [RedisDB.Incrfloat].
func (m *Miniredis) Incrfloat(k string, delta float64) (float64, error) {
	return m.db().Incrfloat(k, delta)
}

// IncrByFloat is [RedisDB.Incrfloat].
func (m *Miniredis) IncrByFloat(k string, delta float64) (float64, error) {
	return m.db().Incrfloat(k, delta)
}

// PfAdd is [RedisDB.HllAdd].
func (m *Miniredis) PfAdd(k string, elems ...string) (int, error) { return m.db().HllAdd(k, elems...) }

// PfCount is [RedisDB.HllCount].
func (m *Miniredis) PfCount(keys ...string) (int, error) { return m.db().HllCount(keys...) }

// PfMerge is [RedisDB.HllMerge].
func (m *Miniredis) PfMerge(destKey string, sourceKeys ...string) error {
	return m.db().HllMerge(destKey, sourceKeys...)
}

// HKeys is [RedisDB.HKeys].
func (m *Miniredis) HKeys(k string) ([]string, error) { return m.db().HKeys(k) }

// HGet is [RedisDB.HGet].
func (m *Miniredis) HGet(k, f string) string { return m.db().HGet(k, f) }

// HSet is [RedisDB.HSet].
func (m *Miniredis) HSet(k string, fv ...string) { m.db().HSet(k, fv...) }

// HSetEX is [RedisDB.HSetEX].
func (m *Miniredis) HSetEX(key string, ttl time.Duration, fv ...string) {
	m.db().HSetEX(key, ttl, fv...)
}

// HExpire is [RedisDB.HExpire].
func (m *Miniredis) HExpire(key, field string, ttl time.Duration) bool {
	return m.db().HExpire(key, field, ttl)
}

// HPersist is [RedisDB.HPersist].
func (m *Miniredis) HPersist(key, field string) bool { return m.db().HPersist(key, field) }

// HTTL is [RedisDB.HTTL].
func (m *Miniredis) HTTL(key, field string) time.Duration { return m.db().HTTL(key, field) }

// HDel is [RedisDB.HDel].
func (m *Miniredis) HDel(k, f string) { m.db().HDel(k, f) }

// HIncr is [RedisDB.HIncr].
func (m *Miniredis) HIncr(k, f string, delta int) (int, error) { return m.db().HIncr(k, f, delta) }

// HIncrBy is [RedisDB.HIncr].
func (m *Miniredis) HIncrBy(k, f string, delta int) (int, error) { return m.db().HIncr(k, f, delta) }

// HIncrfloat is [RedisDB.HIncrfloat].
func (m *Miniredis) HIncrfloat(k, f string, delta float64) (float64, error) {
	return m.db().HIncrfloat(k, f, delta)
}

// HIncrByFloat is [RedisDB.HIncrfloat].
func (m *Miniredis) HIncrByFloat(k, f string, delta float64) (float64, error) {
	return m.db().HIncrfloat(k, f, delta)
}

// List is [RedisDB.List].
func (m *Miniredis) List(k string) ([]string, error) { return m.db().List(k) }

// Lpush is [RedisDB.Lpush].
func (m *Miniredis) Lpush(k, v string) (int, error) { return m.db().Lpush(k, v) }

// Lpop is [RedisDB.Lpop].
func (m *Miniredis) Lpop(k string) (string, error) { return m.db().Lpop(k) }

// Push is [RedisDB.Push].
func (m *Miniredis) Push(k string, v ...string) (int, error) { return m.db().Push(k, v...) }

// RPush is [RedisDB.Push].
func (m *Miniredis) RPush(k string, v ...string) (int, error) { return m.db().Push(k, v...) }

// Pop is [RedisDB.Pop].
func (m *Miniredis) Pop(k string) (string, error) { return m.db().Pop(k) }

// RPop is [RedisDB.Pop].
func (m *Miniredis) RPop(k string) (string, error) { return m.db().Pop(k) }

// SetAdd is [RedisDB.SetAdd].
func (m *Miniredis) SetAdd(k string, elems ...string) (int, error) { return m.db().SetAdd(k, elems...) }

// SAdd is [RedisDB.SetAdd].
func (m *Miniredis) SAdd(k string, elems ...string) (int, error) { return m.db().SetAdd(k, elems...) }

// Members is [RedisDB.Members].
func (m *Miniredis) Members(k string) ([]string, error) { return m.db().Members(k) }

// SMembers is [RedisDB.Members].
func (m *Miniredis) SMembers(k string) ([]string, error) { return m.db().Members(k) }

// IsMember is [RedisDB.IsMember].
func (m *Miniredis) IsMember(k, v string) (bool, error) { return m.db().IsMember(k, v) }

// SIsMember is [RedisDB.IsMember].
func (m *Miniredis) SIsMember(k, v string) (bool, error) { return m.db().IsMember(k, v) }

// SRem is [RedisDB.SRem].
func (m *Miniredis) SRem(k string, fields ...string) (int, error) { return m.db().SRem(k, fields...) }

// SCard is [RedisDB.SCard].
func (m *Miniredis) SCard(key string) (int, error) { return m.db().SCard(key) }

// SRandMember is [RedisDB.SRandMember].
func (m *Miniredis) SRandMember(key string) (string, error) { return m.db().SRandMember(key) }

// ZAdd is [RedisDB.ZAdd].
func (m *Miniredis) ZAdd(k string, score float64, member string) (bool, error) {
	return m.db().ZAdd(k, score, member)
}

// ZMembers is [RedisDB.ZMembers].
func (m *Miniredis) ZMembers(k string) ([]string, error) { return m.db().ZMembers(k) }

// SortedSet is [RedisDB.SortedSet].
func (m *Miniredis) SortedSet(k string) (map[string]float64, error) { return m.db().SortedSet(k) }

// ZRem is [RedisDB.ZRem].
func (m *Miniredis) ZRem(k, member string) (bool, error) { return m.db().ZRem(k, member) }

// ZScore is [RedisDB.ZScore].
func (m *Miniredis) ZScore(k, member string) (float64, error) { return m.db().ZScore(k, member) }

// ZMScore is [RedisDB.ZMScore].
func (m *Miniredis) ZMScore(k string, members ...string) ([]float64, error) {
	return m.db().ZMScore(k, members)
}

// XAdd is [RedisDB.XAdd].
func (m *Miniredis) XAdd(k string, id string, values []string) (string, error) {
	return m.db().XAdd(k, id, values)
}

// Stream is [RedisDB.Stream].
func (m *Miniredis) Stream(k string) ([]StreamEntry, error) { return m.db().Stream(k) }
