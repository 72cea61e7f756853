package miniredis

import (
	"slices"
	"strconv"
)

// SetAdd adds members to a set and returns how many are new. The error is [ErrWrongType].
func (db *RedisDB) SetAdd(k string, elems ...string) (int, error) {
	return ask(db, func(t tx) (int, error) {
		if err := t.mayHave(k, typeSet); err != nil || len(elems) == 0 {
			return 0, err
		}
		return integer(t.do(append([]string{"SADD", k}, elems...)...))
	})
}

// Members returns the members of a set, sorted. The errors are [ErrKeyNotFound] and [ErrWrongType].
func (db *RedisDB) Members(k string) ([]string, error) {
	return ask(db, func(t tx) ([]string, error) {
		if err := t.have(k, typeSet); err != nil {
			return nil, err
		}
		members := t.do("SMEMBERS", k).Strings()
		slices.Sort(members)
		return members, nil
	})
}

// IsMember reports whether a set has a member. The errors are [ErrKeyNotFound] and [ErrWrongType].
func (db *RedisDB) IsMember(k, v string) (bool, error) {
	return ask(db, func(t tx) (bool, error) {
		if err := t.have(k, typeSet); err != nil {
			return false, err
		}
		return t.do("SISMEMBER", k, v).MustInt() == 1, nil
	})
}

// SRem removes members of a set and returns how many it had. The errors are [ErrKeyNotFound] and
// [ErrWrongType].
func (db *RedisDB) SRem(k string, fields ...string) (int, error) {
	return ask(db, func(t tx) (int, error) {
		if err := t.have(k, typeSet); err != nil || len(fields) == 0 {
			return 0, err
		}
		return integer(t.do(append([]string{"SREM", k}, fields...)...))
	})
}

// SCard returns the number of members of a set, 0 if it does not exist. The error is
// [ErrWrongType].
func (db *RedisDB) SCard(key string) (int, error) {
	return ask(db, func(t tx) (int, error) { return integer(t.do("SCARD", key)) })
}

// SRandMember returns a random member of a set, "" if it does not exist. The error is
// [ErrWrongType].
func (db *RedisDB) SRandMember(key string) (string, error) {
	return ask(db, func(t tx) (string, error) {
		v := t.do("SRANDMEMBER", key)
		if err := asError(v); err != nil {
			return "", err
		}
		return v.Text(), nil
	})
}

// ZAdd adds a member to a sorted set or changes its score, and reports whether it is new. The error
// is [ErrWrongType], or that of ZADD if the score is not a number.
func (db *RedisDB) ZAdd(k string, score float64, member string) (bool, error) {
	return ask(db, func(t tx) (bool, error) {
		n, err := integer(t.do("ZADD", k, float(score), member))
		return n == 1, err
	})
}

// ZMembers returns the members of a sorted set by score. The errors are [ErrKeyNotFound] and
// [ErrWrongType].
func (db *RedisDB) ZMembers(k string) ([]string, error) {
	return ask(db, func(t tx) ([]string, error) {
		if err := t.have(k, typeZSet); err != nil {
			return nil, err
		}
		return t.do("ZRANGE", k, "0", "-1").Strings(), nil
	})
}

// SortedSet returns the scores of a sorted set by member. The errors are [ErrKeyNotFound] and
// [ErrWrongType].
func (db *RedisDB) SortedSet(k string) (map[string]float64, error) {
	return ask(db, func(t tx) (map[string]float64, error) {
		if err := t.have(k, typeZSet); err != nil {
			return nil, err
		}
		scores := map[string]float64{}
		for _, member := range t.zset(k) {
			scores[member.name] = member.score
		}
		return scores, nil
	})
}

// member is a member of a sorted set.
type member struct {
	name  string
	score float64
}

// zset returns a sorted set by score.
func (t tx) zset(k string) (list []member) {
	pairs := t.do("ZRANGE", k, "0", "-1", "WITHSCORES").Strings()
	for i := 0; i+1 < len(pairs); i += 2 {
		score, _ := strconv.ParseFloat(pairs[i+1], 64) // the engine writes numbers
		list = append(list, member{pairs[i], score})
	}
	return list
}

// ZRem removes a member of a sorted set and reports whether it had it. The errors are
// [ErrKeyNotFound] and [ErrWrongType].
func (db *RedisDB) ZRem(k, member string) (bool, error) {
	return ask(db, func(t tx) (bool, error) {
		if err := t.have(k, typeZSet); err != nil {
			return false, err
		}
		return t.do("ZREM", k, member).MustInt() == 1, nil
	})
}

// ZScore returns the score of a member, 0 if the sorted set does not have it. The errors are
// [ErrKeyNotFound] and [ErrWrongType].
func (db *RedisDB) ZScore(k, member string) (float64, error) {
	scores, err := db.ZMScore(k, []string{member})
	if err != nil {
		return 0, err
	}
	return scores[0], nil
}

// ZMScore returns the scores of members, 0 for those that the sorted set does not have. The errors
// are [ErrKeyNotFound] and [ErrWrongType].
func (db *RedisDB) ZMScore(k string, members []string) ([]float64, error) {
	return ask(db, func(t tx) ([]float64, error) {
		if err := t.have(k, typeZSet); err != nil {
			return nil, err
		}
		scores := make([]float64, 0, len(members))
		for _, m := range members {
			score, _ := strconv.ParseFloat(t.do("ZSCORE", k, m).Text(), 64) // "" if there is none
			scores = append(scores, score)
		}
		return scores, nil
	})
}
