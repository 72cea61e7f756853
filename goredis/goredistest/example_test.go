package goredistest_test

import (
	"context"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/goredis/goredistest"
	"github.com/redmoon-lua/redmoon/redmoontest"
)

// claim is the code under test.
func claim(rdb redis.UniversalClient, user string) (bool, error) {
	added, err := rdb.SAdd(context.Background(), "claimed", user).Result()
	return added == 1, err
}

func ExampleClient() {
	_ = func(t *testing.T) { // func TestClaim(t *testing.T)
		e := redmoontest.New(t)
		rdb := goredistest.Client(t, e)
		first, _ := claim(rdb, "ann")
		again, _ := claim(rdb, "ann")
		require.True(t, first)
		require.False(t, again)
		require.Equal(t, redmoontest.Set{"ann"}, e.Members("claimed"))
	}
}
