package metrics

import (
	"bufio"
	"io"
	"slices"
	"strconv"
	"strings"
)

// ContentType is the type of what [WriteText] writes.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// WriteText writes the metrics of sources in Prometheus's text format, version 0.0.4. Metrics
// without a sample are left out. The error is that of w.
func WriteText(w io.Writer, sources []Source) error {
	t := textWriter{bufio.NewWriter(w)}
	for i := range table {
		t.metric(&table[i], sources)
	}
	return t.w.Flush() // also the error of an earlier write
}

type textWriter struct{ w *bufio.Writer }

func (t textWriter) print(parts ...string) {
	for _, p := range parts {
		_, _ = t.w.WriteString(p)
	}
}

func (t textWriter) metric(m *Metric, sources []Source) {
	begun := false
	m.Each(sources, func(names, values []string, s Sample) {
		if !begun {
			begun = true
			t.print("# HELP ", m.Name, " ", helpEscapes.Replace(m.Help), "\n# TYPE ", m.Name, " ", string(m.Kind), "\n")
		}
		if s.Distribution == nil {
			t.sample(m.Name, names, values, formatFloat(s.Value))
			return
		}
		d := s.Distribution
		names, values = append(slices.Clone(names), "le"), append(slices.Clone(values), "")
		bucket := func(bound string, n uint64) {
			values[len(values)-1] = bound
			t.sample(m.Name+"_bucket", names, values, strconv.FormatUint(n, 10))
		}
		for i, bound := range d.Bounds {
			bucket(formatFloat(bound), d.Counts[i])
		}
		bucket("+Inf", d.Count)
		names, values = names[:len(names)-1], values[:len(values)-1]
		t.sample(m.Name+"_sum", names, values, formatFloat(d.Sum))
		t.sample(m.Name+"_count", names, values, strconv.FormatUint(d.Count, 10))
	})
}

func (t textWriter) sample(name string, labels, values []string, number string) {
	t.print(name)
	for i, label := range labels {
		t.print([]string{"{", ","}[min(i, 1)], label, `="`, labelEscapes.Replace(values[i]), `"`)
	}
	if len(labels) > 0 {
		t.print("}")
	}
	t.print(" ", number, "\n")
}

func formatFloat(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

var (
	helpEscapes  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	labelEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)
