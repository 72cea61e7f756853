package miniredis

import (
	"slices"
	"strconv"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
)

// HKeys returns the fields of a hash, sorted. The errors are [ErrKeyNotFound] and [ErrWrongType].
func (db *RedisDB) HKeys(key string) ([]string, error) {
	return ask(db, func(t tx) ([]string, error) {
		if err := t.have(key, typeHash); err != nil {
			return nil, err
		}
		fields := t.do("HKEYS", key).Strings()
		slices.Sort(fields)
		return fields, nil
	})
}

// HGet returns the value of a field, "" if there is no such hash or field.
func (db *RedisDB) HGet(k, f string) string {
	return get(db, func(t tx) string {
		v := t.do("HGET", k, f)
		if v.IsError() {
			return ""
		}
		return v.Text()
	})
}

// HSet sets fields of a hash: field, value, field, value ... A key of another type is replaced. A
// last field without a value is ignored.
func (db *RedisDB) HSet(k string, fv ...string) {
	db.must(func(t tx) error { return t.hset(k, fv) })
}

// hset is HSet.
func (t tx) hset(k string, fv []string) error {
	if len(fv) < 2 {
		return nil
	}
	if t.mayHave(k, typeHash) != nil {
		t.do("DEL", k)
	}
	return asError(t.do(append([]string{"HSET", k}, fv[:len(fv)&^1]...)...))
}

// HSetEX is [RedisDB.HSet] with a time to live for each of the fields, rounded as by SetTTL.
func (db *RedisDB) HSetEX(key string, ttl time.Duration, fv ...string) {
	db.must(func(t tx) error {
		if err := t.hset(key, fv); err != nil {
			return err
		}
		for i := 0; i+1 < len(fv); i += 2 {
			if v := t.hexpire(key, fv[i], ttl); v.IsError() {
				return v.Err()
			}
		}
		return nil
	})
}

func (t tx) hexpire(key, field string, ttl time.Duration) engine.Value {
	return t.do("HPEXPIRE", key, millis(ttl), "FIELDS", "1", field)
}

// HExpire sets the time to live of a field, rounded as by SetTTL, and reports whether the field
// exists.
func (db *RedisDB) HExpire(key, field string, ttl time.Duration) bool {
	return get(db, func(t tx) bool { return first(t.hexpire(key, field, ttl)) == 1 })
}

// HPersist removes the time to live of a field and reports whether it had one.
func (db *RedisDB) HPersist(key, field string) bool {
	return get(db, func(t tx) bool { return first(t.do("HPERSIST", key, "FIELDS", "1", field)) == 1 })
}

// HTTL returns the time to live of a field, in whole milliseconds; 0 if it has none or does not
// exist.
func (db *RedisDB) HTTL(key, field string) time.Duration {
	ms := get(db, func(t tx) int64 { return first(t.do("HPTTL", key, "FIELDS", "1", field)) })
	return time.Duration(max(ms, 0)) * time.Millisecond
}

// first returns the first integer of an array, -2 if there is none.
func first(v engine.Value) int64 {
	if list := v.Slice(); len(list) > 0 {
		return list[0].MustInt()
	}
	return -2
}

// HDel removes a field. A hash without fields is removed, too.
func (db *RedisDB) HDel(k, f string) {
	db.must(func(t tx) error {
		t.do("HDEL", k, f) // of another type: nothing happens
		return nil
	})
}

// HIncr adds delta to the integer in a field and returns the sum. The errors are [ErrWrongType],
// [ErrIntValueError] and [ErrIntValueOverflowError].
func (db *RedisDB) HIncr(k, f string, delta int) (int, error) {
	return ask(db, func(t tx) (int, error) { return integer(t.do("HINCRBY", k, f, strconv.Itoa(delta))) })
}

// HIncrfloat adds delta to the float in a field and returns the sum. The errors are [ErrWrongType]
// and [ErrFloatValueError].
func (db *RedisDB) HIncrfloat(k, f string, delta float64) (float64, error) {
	return ask(db, func(t tx) (float64, error) {
		v := t.do("HINCRBYFLOAT", k, f, float(delta))
		if err := asError(v); err != nil {
			return 0, err
		}
		return v.Float()
	})
}
