package miniredis

// List returns a list from head to tail. The errors are [ErrKeyNotFound] and [ErrWrongType].
func (db *RedisDB) List(k string) ([]string, error) {
	return ask(db, func(t tx) ([]string, error) {
		if err := t.have(k, typeList); err != nil {
			return nil, err
		}
		return t.do("LRANGE", k, "0", "-1").Strings(), nil
	})
}

// Lpush adds a value at the head of a list and returns its new length. The error is [ErrWrongType].
func (db *RedisDB) Lpush(k, v string) (int, error) {
	return ask(db, func(t tx) (int, error) { return integer(t.do("LPUSH", k, v)) })
}

// Push adds values at the tail of a list and returns its new length. The error is [ErrWrongType].
func (db *RedisDB) Push(k string, v ...string) (int, error) {
	return ask(db, func(t tx) (int, error) {
		if len(v) == 0 {
			return integer(t.do("LLEN", k))
		}
		return integer(t.do(append([]string{"RPUSH", k}, v...)...))
	})
}

// Lpop removes the element at the head of a list and returns it. The errors are [ErrKeyNotFound]
// and [ErrWrongType].
func (db *RedisDB) Lpop(k string) (string, error) { return db.pop("LPOP", k) }

// Pop removes the element at the tail of a list and returns it. The errors are [ErrKeyNotFound] and
// [ErrWrongType].
func (db *RedisDB) Pop(k string) (string, error) { return db.pop("RPOP", k) }

func (db *RedisDB) pop(command, k string) (string, error) {
	return ask(db, func(t tx) (string, error) {
		if err := t.have(k, typeList); err != nil {
			return "", err
		}
		return t.do(command, k).Text(), nil
	})
}
