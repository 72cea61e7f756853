package difftest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/testing/tier"
)

// placer makes random places and searches; numbers come from the whole map, from narrow spots and
// from its borders.
type placer struct {
	rng     *rand.Rand
	members int
	spot    [2]float64
}

// degrees is a random number up to limit in size.
func (p *placer) degrees(limit, near float64) string {
	var f float64
	switch p.rng.IntN(10) {
	case 0:
		f = []float64{0, limit, -limit, limit / 2, 1e-9, -1e-12, 66, 66.5, 80.5}[p.rng.IntN(9)]
	case 1, 2, 3:
		f = near + 0.01*p.rng.NormFloat64()
	case 4, 5:
		f = near + 3*p.rng.NormFloat64()
	case 6:
		f = float64(p.rng.IntN(2*int(limit)) - int(limit)) // so that distances are equal now and then
	default:
		f = limit * (2*p.rng.Float64() - 1)
	}
	return strconv.FormatFloat(max(min(f, limit), -limit), 'g', 17, 64)
}

func (p *placer) place() []string {
	return []string{p.degrees(180, p.spot[0]), p.degrees(85.05112878, p.spot[1])}
}

func (p *placer) member() string { return fmt.Sprint("m", p.rng.IntN(p.members)) }

func (p *placer) length() string {
	size := []float64{1, 100, 1e4, 1e6, 3e7}[p.rng.IntN(5)]
	return strconv.FormatFloat(size*p.rng.Float64(), 'g', 5+p.rng.IntN(12), 64)
}

// step makes one command.
func (p *placer) step() []string {
	one := func(of ...string) string { return of[p.rng.IntN(len(of))] }
	switch p.rng.IntN(8) {
	case 0:
		args := []string{"GEOADD", "g"}
		for range 1 + p.rng.IntN(20) {
			args = append(append(args, p.place()...), p.member())
		}
		return args
	case 1:
		args := []string{one("GEOPOS", "GEOHASH"), "g"}
		for range 20 {
			args = append(args, p.member())
		}
		return args
	case 2, 3:
		return []string{"GEODIST", "g", p.member(), p.member(), one("m", "km", "ft", "mi")}
	case 4:
		return []string{"ZRANGE", one("out", "g"), "0", "-1", "WITHSCORES"}
	}
	store := p.rng.IntN(3) == 0
	args := []string{"GEOSEARCH", "g"}
	if store {
		args = []string{"GEOSEARCHSTORE", "out", "g"}
	}
	if p.rng.IntN(2) == 0 {
		args = append(args, "FROMMEMBER", p.member())
	} else {
		args = append(append(args, "FROMLONLAT"), p.place()...)
	}
	if p.rng.IntN(2) == 0 {
		args = append(args, "BYRADIUS", p.length(), one("m", "m", "km", "ft", "mi"))
	} else {
		args = append(args, "BYBOX", p.length(), p.length(), one("m", "m", "km", "ft", "mi"))
	}
	if p.rng.IntN(2) == 0 {
		args = append(args, one("ASC", "DESC"))
	}
	if p.rng.IntN(2) == 0 {
		args = append(args, "COUNT", strconv.Itoa(1+p.rng.IntN(p.members/2)))
		if p.rng.IntN(3) == 0 {
			args = append(args, "ANY")
		}
	}
	switch {
	case !store:
		args = append(args, "WITHDIST", "WITHHASH", "WITHCOORD")[:len(args)+p.rng.IntN(4)]
	case p.rng.IntN(2) == 0:
		args = append(args, "STOREDIST")
	}
	return args
}

// TestRandomPlaces compares places, distances and searches, to the last digit, with the live
// oracle. REDMOON_SEED=n plays others, REDMOON_STEPS=n sets the number of commands of each
// kind.
func TestRandomPlaces(t *testing.T) {
	needsOracle(t)
	first, steps := tier.Seed(), tier.Number("REDMOON_STEPS", 500, 1500)
	for seed := first; seed < first+3; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			p := &placer{rng: rand.New(rand.NewPCG(seed, 11)), members: []int{20, 100, 400}[seed%3]}
			f := &File{Path: "random", Doors: []Door{DoorGo}}
			for i := range steps {
				if i%200 == 0 {
					p.spot = [2]float64{360*p.rng.Float64() - 180, 170*p.rng.Float64() - 85}
				}
				f.Steps = append(f.Steps, Step{Line: i + 1, Args: p.step()})
			}
			playRandom(t, f)
		})
	}
}
