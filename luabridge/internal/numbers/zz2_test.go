package numbers
import ("testing";"math")
func TestZAll(t *testing.T) {
	for n, f := range map[string]func(float64) float64{"exp": Exp, "log": Log, "log10": Log10, "sin": Sin, "cos": Cos, "tan": Tan, "asin": Asin, "acos": Acos, "atan": Atan, "sinh": Sinh, "cosh": Cosh, "tanh": Tanh, "sqrt": Sqrt,"floor":math.Floor,"ceil":math.Ceil} {
		cmp1(t, n, f)
	}
	cmp2(t,"atan2",Atan2)
	cmp2(t,"fmod",Fmod)
}
