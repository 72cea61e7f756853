package miniredis

import "strconv"

// Get returns the value of a string. The errors are [ErrKeyNotFound] and [ErrWrongType].
func (db *RedisDB) Get(k string) (string, error) {
	return ask(db, func(t tx) (string, error) {
		if err := t.have(k, typeString); err != nil {
			return "", err
		}
		return t.do("GET", k).Text(), nil
	})
}

// Set sets a string and removes its time to live. The error is [ErrWrongType] if the key exists
// with another type.
func (db *RedisDB) Set(k, v string) error {
	return db.try(func(t tx) error {
		if err := t.mayHave(k, typeString); err != nil {
			return err
		}
		return asError(t.do("SET", k, v))
	})
}

// Incr adds delta to the integer in a string and returns the sum. The errors are [ErrWrongType],
// [ErrIntValueError] and [ErrIntValueOverflowError].
func (db *RedisDB) Incr(k string, delta int) (int, error) {
	return ask(db, func(t tx) (int, error) { return integer(t.do("INCRBY", k, strconv.Itoa(delta))) })
}

// Incrfloat adds delta to the float in a string and returns the sum. The errors are [ErrWrongType]
// and [ErrFloatValueError].
func (db *RedisDB) Incrfloat(k string, delta float64) (float64, error) {
	return ask(db, func(t tx) (float64, error) {
		v := t.do("INCRBYFLOAT", k, float(delta))
		if err := asError(v); err != nil {
			return 0, err
		}
		return v.Float()
	})
}

func float(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// HllAdd adds elements to a HyperLogLog and returns 1 if this has changed it, else 0. The error is
// [ErrWrongType].
func (db *RedisDB) HllAdd(k string, elems ...string) (int, error) {
	return ask(db, func(t tx) (int, error) {
		if err := t.mayHave(k, typeHLL); err != nil {
			return 0, err
		}
		return integer(t.do(append([]string{"PFADD", k}, elems...)...))
	})
}

// HllCount estimates the number of different elements that HyperLogLogs hold together. The error is
// [ErrNotValidHllValue].
func (db *RedisDB) HllCount(keys ...string) (int, error) {
	if len(keys) == 0 {
		return 0, nil
	}
	return ask(db, func(t tx) (int, error) {
		if err := t.mayHaveHLLs(keys); err != nil {
			return 0, err
		}
		return integer(t.do(append([]string{"PFCOUNT"}, keys...)...))
	})
}

// HllMerge adds the elements of HyperLogLogs to another one. The error is [ErrNotValidHllValue].
func (db *RedisDB) HllMerge(destKey string, sourceKeys ...string) error {
	return db.try(func(t tx) error {
		keys := append([]string{destKey}, sourceKeys...)
		if err := t.mayHaveHLLs(keys); err != nil {
			return err
		}
		return asError(t.do(append([]string{"PFMERGE"}, keys...)...))
	})
}

func (t tx) mayHaveHLLs(keys []string) error {
	for _, k := range keys {
		if t.mayHave(k, typeHLL) != nil {
			return ErrNotValidHllValue
		}
	}
	return nil
}
