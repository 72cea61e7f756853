package goredis_test

import (
	"context"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/goredis"
	"github.com/redmoon-lua/redmoon/internal/testing/everywhere"
)

func TestRepliesAreTheSameEverywhere(t *testing.T) {
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		s := engine.NewScript(`return {1, 'a', false, {KEYS[1], ARGV[1]}, redis.error_reply('CODE text'), redis.call('INCR', KEYS[1])}`)
		for i := range 2 {
			v, err := p.RunScript(ctx, s, []string{"k"}, []string{"x\x00y"})
			require.NoError(t, err)
			list := v.Slice()
			require.Len(t, list, 6)
			require.Equal(t, int64(1), list[0].MustInt())
			require.Equal(t, "a", list[1].Text())
			require.True(t, list[2].IsNil())
			require.Equal(t, []string{"k", "x\x00y"}, list[3].Strings())
			require.Equal(t, "CODE text", list[4].Err().Error())
			require.Equal(t, int64(i+1), list[5].MustInt())
		}
		v, err := p.RunScript(ctx, engine.NewScript("return nil"), []string{"k"}, nil)
		require.NoError(t, err)
		require.True(t, v.IsNil())
		_, err = p.RunScript(ctx, engine.NewScript("return redis.call('LPUSH', KEYS[1], 'x')"), []string{"k"}, nil)
		require.ErrorIs(t, err, engine.ErrWrongType)
		require.Equal(t, "2", p.Do(t, "GET", "k").Text())
		_, err = p.DoStrings(ctx, "LPUSH", "k", "x")
		require.ErrorIs(t, err, engine.ErrWrongType)
	})
}

func TestAClosedClientSaysSo(t *testing.T) {
	rdb := redis.NewClient(&redis.Options{})
	require.NoError(t, rdb.Close())
	_, err := goredis.New(rdb).DoStrings(context.Background(), "PING")
	require.ErrorIs(t, err, engine.ErrClosed)
	require.ErrorIs(t, err, redis.ErrClosed)
}
