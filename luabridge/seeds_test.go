package luabridge

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/redmoon-lua/redmoon/internal/testing/seeds"
)

func TestSeedRedPacketRain(t *testing.T) {
	vm, h := newVM(t), newHost()
	s := compiled(t, vm, seeds.Need(t, "redpacket_rain.lua"))
	h.lists["packets"] = []string{`{"redPacketId":"rp1","amount":12.5}`}
	keys := []string{"users", "packets", "taken", "u1"}
	assert.Equal(t, `"{\"amount\":12.5,\"code\":\"0\",\"redPacketId\":\"rp1\"}"`, spell(vm.Run(h, s, keys, nil)))
	assert.Equal(t, map[string]string{"u1": "rp1"}, h.hashes["users"])
	assert.Equal(t, []string{`{"amount":12.5,"userId":"u1","redPacketId":"rp1"}`}, h.lists["taken"])
	assert.Equal(t, `"{\"code\":\"1\"}"`, spell(vm.Run(h, s, keys, nil)))
	keys[3] = "u2"
	assert.Equal(t, `"{\"code\":\"-1\"}"`, spell(vm.Run(h, s, keys, nil)))
}

func TestSeedHongbaoGrab(t *testing.T) {
	vm, h := newVM(t), newHost()
	s := compiled(t, vm, seeds.Need(t, "hongbao_grab.lua"))
	h.lists["packets"] = []string{`{"id":7,"money":3}`}
	keys := []string{"packets", "consumed", "dedup", "u1"}
	assert.Equal(t, `"{\"money\":3,\"userId\":\"u1\",\"id\":7}"`, spell(vm.Run(h, s, keys, nil)))
	assert.Equal(t, "nil", spell(vm.Run(h, s, keys, nil)))
	keys[3] = "u2"
	assert.Equal(t, "nil", spell(vm.Run(h, s, keys, nil)))
}

func TestSeedCouponClaim(t *testing.T) {
	vm, h := newVM(t), newHost()
	s := compiled(t, vm, seeds.Need(t, "coupon_claim.lua"))
	keys := []string{"today", "user", "total"}
	claim := func(user string) string {
		return spell(vm.Run(h, s, keys, []string{"2", "3", "4", user, "c1"}))
	}
	assert.Equal(t, []string{"0", "0", "1"}, []string{claim("u1"), claim("u1"), claim("u1")}, "two a day")
	assert.Equal(t, []string{"0", "2"}, []string{claim("u2"), claim("u2")}, "three of a coupon")
}

func TestSeedLockRelease(t *testing.T) {
	vm, h := newVM(t), newHost()
	s := compiled(t, vm, seeds.Need(t, "lock_release.lua"))
	h.strings["lock"] = "token"
	assert.Equal(t, "0", spell(vm.Run(h, s, []string{"lock"}, []string{"other"})))
	assert.Equal(t, "1", spell(vm.Run(h, s, []string{"lock"}, []string{"token"})))
}
