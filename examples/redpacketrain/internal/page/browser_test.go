package page_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/browsertest"
	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/page"
)

const packets, total = 100_000, 100_000_000

// moment is a state of a made-up run, x from 0 to 1.
func moment(x float64) page.State {
	given, settled := math.Min(1, 1.3*x), x*x*(1.6-0.6*x)
	s := page.State{
		Stage: page.Grab, On: "redis-server 127.0.0.1:6379", Ledger: "SQLite, /tmp/rain.db", Workers: 20, Packets: packets, Total: total,
		Elapsed: 21.4 * x, Rate: 6100 + 900*math.Sin(17*x), P50: 118.4, P95: 431, P99: 2210,
		Grabbed: int64(given * packets), Given: int64(given * total), Refused: int64(5300 * x), Empty: int64(11000 * x * x),
		SettleRate: 4600 + 700*math.Cos(11*x), Settled: int64(settled * packets), SettledMoney: int64(settled * total), Kills: int64(7 * x),
	}
	s.Backlog = s.Grabbed - s.Settled
	if given == 1 {
		s.Stage, s.Rate = page.Settle, 0
	}
	return s
}

func final() page.State {
	s := moment(1)
	s.Stage, s.Backlog, s.OK = page.Done, 0, true
	s.Settled, s.SettledMoney, s.Rate = packets, total, 6020
	s.Findings = []page.Finding{
		{Name: "every grab is settled exactly once", OK: true, Detail: "100,000 grabs, 100,000 settlements"},
		{Name: "same user, same packet, same cents", OK: true, Detail: "0 differ"},
		{Name: "the money adds up", OK: true, Detail: "1,000,000.00 settled + 0.00 refunded of 1,000,000.00"},
	}
	return s
}

func TestThePageInABrowser(t *testing.T) {
	p := page.New()
	s := serve(t, p)
	tab := browsertest.Open(t)
	text := func(id string) string {
		return browsertest.Eval[string](tab, "document.getElementById('"+id+"').textContent")
	}

	tab.Put(browsertest.Look{Width: 1280, Height: 900})
	tab.Go(s.URL)
	tab.Await(`document.getElementById('connection').dataset.state === 'live'`)
	labels := func(chart string) []string {
		return browsertest.Eval[[]string](tab,
			`[...document.querySelectorAll('#`+chart+` text[text-anchor="end"]')].map((e) => e.textContent).filter((s) => !s.endsWith(' s'))`)
	}
	p.Publish(page.State{Stage: page.Prepare, Packets: packets, Total: total})
	tab.Await(`document.querySelector('#money svg') !== null`)
	require.Equal(t, []string{"0"}, labels("money"), "nothing to measure yet: the base line alone")
	require.Equal(t, []string{"0"}, labels("rates"))
	for i := range 60 {
		p.Publish(moment(float64(i) / 100))
	}
	tab.Await(`document.getElementById('grabbed').textContent.startsWith('76,7')`)
	require.Equal(t, "118 µs", text("p50"))
	require.Equal(t, "2.21 ms", text("p99"))
	require.Equal(t, "767,000.00", text("given"))
	require.Equal(t, "76.7 % of 1,000,000.00", text("givenOf"))
	require.Equal(t, []string{"0", "200K", "400K", "600K", "800K"}, labels("money"))
	for _, name := range []string{"given", "settled"} {
		width, label := browsertest.Eval[string](tab, `document.getElementById('`+name+`Bar').style.width`), text(name+"Of")
		width, label = strings.TrimSuffix(width, "%"), label[:strings.Index(label, " %")]
		drawn, err := strconv.ParseFloat(width, 64)
		require.NoError(t, err)
		require.Equal(t, label, strconv.FormatFloat(drawn, 'f', 1, 64), "the bar shows what its label says")
	}
	require.Equal(t, "Grab", browsertest.Eval[string](tab, `document.querySelector('[aria-current]').textContent`))
	require.False(t,
		browsertest.Eval[bool](tab, `document.getElementById('rates').querySelector('path.given').getAttribute('d').includes('NaN')`))

	looks := map[string]browsertest.Look{
		"light": {Width: 1280, Height: 900}, "dark": {Width: 1280, Height: 900, Dark: true},
		"phone": {Width: 360, Height: 740}, "phone-dark": {Width: 360, Height: 740, Dark: true},
	}
	shoot := func(moment string) {
		for name, look := range looks {
			tab.Put(look)
			require.LessOrEqual(t, browsertest.Eval[int](tab, `document.documentElement.scrollWidth`), int(look.Width), "nothing sticks out")
			dark := browsertest.Eval[string](tab, `getComputedStyle(document.body.parentElement).backgroundColor`) == "rgb(21, 18, 17)"
			require.Equal(t, look.Dark, dark)
			require.NotEmpty(t, tab.Shoot(moment+"-"+name))
		}
	}
	shoot("running")

	// The pointer over a chart shows the values there.
	tab.Put(looks["light"])
	browsertest.Eval[any](tab, `{ const b = document.getElementById('money').getBoundingClientRect();
		document.getElementById('money').dispatchEvent(new PointerEvent('pointermove', { clientX: b.left + b.width / 2, clientY: b.top + 20 })); }`)
	require.Contains(t, browsertest.Eval[string](tab, `document.querySelector('#money output').textContent`), "given out ")
	require.Empty(t, tab.Complaints())

	// A lost connection is shown, and the page continues by itself with all it has missed.
	s.CloseClientConnections()
	tab.Await(`document.getElementById('connection').dataset.state === 'lost'`)
	for i := 60; i < 100; i++ {
		p.Publish(moment(float64(i) / 100))
	}
	tab.Await(`document.getElementById('connection').dataset.state === 'live'`)
	tab.Await(`points.length === 101`)
	require.Equal(t, "Settle", browsertest.Eval[string](tab, `document.querySelector('[aria-current]').textContent`))

	p.Publish(final())
	tab.Await(`!document.getElementById('verdict').hidden`)
	require.Equal(t, "Finished: every grab is settled exactly once",
		browsertest.Eval[string](tab, `document.querySelector('#verdict h2').textContent`))
	require.Equal(t, 3, browsertest.Eval[int](tab, `document.querySelectorAll('#audit tbody tr').length`))
	require.Equal(t, "0", text("backlog"))
	shoot("done")

	failed := final()
	failed.OK, failed.Findings[1].OK = false, false
	p.Publish(failed)
	tab.Await(`document.querySelector('#verdict.bad') !== null`)
	require.Equal(t, 1, browsertest.Eval[int](tab, `document.querySelectorAll('#audit tr.bad').length`))
}
