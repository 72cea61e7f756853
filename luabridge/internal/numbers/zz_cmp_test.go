package numbers

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand"
	"os"
	"os/exec"
	"testing"
)

func ref(name string, in []float64) []float64 {
	var b bytes.Buffer
	binary.Write(&b, binary.LittleEndian, in)
	c := exec.Command("/tmp/bl/ref", name)
	c.Stdin = &b
	o, err := c.Output()
	if err != nil {
		panic(err)
	}
	out := make([]float64, len(o)/8)
	binary.Read(bytes.NewReader(o), binary.LittleEndian, out)
	return out
}

var corners = []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 2, -2, 3, -3, math.Inf(1), math.Inf(-1), math.NaN(), nan(), math.Float64frombits(0x7ff8 << 48),
	math.MaxFloat64, -math.MaxFloat64, 5e-324, -5e-324, 0x1p-1022, 1e-300, 1e300, 1 + 0x1p-52, 1 - 0x1p-53, 709.78, 709.79, -745.1, -745.2, -708.4, 710.5, 0x1p-54, 0x1p-27, 0x1p-26, 1e22, 1e16, 0x1p53, 0x1p52, 0x1p63, 0x1p64, 22, 0.1, 0.3, math.Pi, math.Pi / 2, math.Pi / 4, 10, 100, 1000, 1e15}

func args1(n int, r *rand.Rand) []float64 {
	in := append([]float64{}, corners...)
	for i := range n {
		var x float64
		switch i % 8 {
		case 0:
			x = (r.Float64() - 0.5) * 2
		case 1:
			x = (r.Float64() - 0.5) * 20
		case 2:
			x = (r.Float64() - 0.5) * 1500
		case 3:
			x = math.Float64frombits(r.Uint64())
		case 4:
			x = math.Ldexp(r.Float64()-0.5, r.Intn(80)-40)
		case 5:
			x = float64(r.Intn(2000)-1000) / 100
		case 6:
			x = float64(r.Intn(20000)-10000) * math.Pi / 4
			for range r.Intn(3) {
				x = math.Nextafter(x, math.Inf(1-2*r.Intn(2)))
			}
		case 7:
			x = 1 + (r.Float64()-0.5)/float64(int(1)<<r.Intn(40))
		}
		in = append(in, x)
	}
	return in
}

func same(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || (a != a && b != b && math.Signbit(a) == math.Signbit(b))
}

func cmp1(t *testing.T, name string, f func(float64) float64) {
	r := rand.New(rand.NewSource(5))
	in := args1(400000, r)
	out := ref(name, in)
	bad, classes := 0, [9]int{}
	for i, x := range in {
		if g := f(x); !same(g, out[i]) {
			if bad++; bad <= 6 {
				fmt.Printf("  %s(%x %v) = %x want %x\n", name, x, x, g, out[i])
			}
			if i < len(corners) {
				classes[8]++
			} else {
				classes[(i-len(corners))%8]++
			}
		}
	}
	fmt.Printf("%s: %d of %d differ %v\n", name, bad, len(in), classes)
}

func cmp2(t *testing.T, name string, f func(a, b float64) float64) {
	r := rand.New(rand.NewSource(5))
	var in []float64
	for _, a := range corners {
		for _, b := range corners {
			in = append(in, a, b)
		}
	}
	for i := range 400000 {
		a, b := args1(0, r), 0.0
		_ = a
		var x float64
		switch i % 5 {
		case 0:
			x, b = r.Float64()*20, (r.Float64()-0.5)*40
		case 1:
			x, b = math.Float64frombits(r.Uint64()), (r.Float64()-0.5)*40
		case 2:
			x, b = float64(r.Intn(200)-100), float64(r.Intn(60)-30)/2
		case 3:
			x, b = 1+(r.Float64()-0.5)/1000, (r.Float64()-0.5)*100000
		case 4:
			x, b = math.Float64frombits(r.Uint64()), math.Float64frombits(r.Uint64())
		}
		in = append(in, x, b)
	}
	out := ref(name, in)
	bad, classes := 0, [6]int{}
	for i := range out {
		x, y := in[2*i], in[2*i+1]
		if g := f(x, y); !same(g, out[i]) {
			if bad++; bad <= 8 {
				fmt.Printf("  %s(%v,%v) = %x want %x\n", name, x, y, g, out[i])
			}
			if n := len(corners) * len(corners); i < n {
				classes[5]++
			} else {
				classes[(i-n)%5]++
			}
		}
	}
	fmt.Printf("%s: %d of %d differ %v\n", name, bad, len(out), classes)
}

var _ = os.Args

func TestZPow(t *testing.T) { cmp2(t, "pow", math.Pow); cmp2(t, "pow", Pow) }
