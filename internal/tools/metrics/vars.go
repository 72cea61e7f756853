package metrics

import "strings"

// Vars returns the metrics of sources for JSON: by name a number, or an object with a number for
// each combination of labels, whose values are joined by commas. A histogram has count and sum.
func Vars(sources []Source) map[string]any {
	vars := map[string]any{}
	for i := range table {
		m := &table[i]
		m.Each(sources, func(names, values []string, s Sample) {
			var v any = s.Value
			if d := s.Distribution; d != nil {
				v = map[string]float64{"count": float64(d.Count), "sum": d.Sum}
			}
			if len(names) == 0 {
				vars[m.Name] = v
				return
			}
			all, _ := vars[m.Name].(map[string]any)
			if all == nil {
				all = map[string]any{}
				vars[m.Name] = all
			}
			all[strings.Join(values, ",")] = v
		})
	}
	return vars
}
