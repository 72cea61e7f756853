//go:build deps

package miniredis

// The packages whose tests run on minicompat, and what those tests import, so that go.mod has their
// modules. The build tag is never set: nothing of this is linked.
import (
	_ "github.com/Bose/minisentinel"
	_ "github.com/envoyproxy/ratelimit/src/redis"
	_ "github.com/golang/mock/gomock"
	_ "github.com/oauth2-proxy/oauth2-proxy/v7/pkg/sessions/redis"
	_ "github.com/zeromicro/go-zero/core/stores/redis/redistest"
)
