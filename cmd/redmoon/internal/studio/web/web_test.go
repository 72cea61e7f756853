package web_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/studio"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/studio/web"
)

// serve starts a server and returns its base address and its token.
func serve(t *testing.T, o studio.Options) (base, token string) {
	l, err := web.Listen("127.0.0.1:0")
	require.NoError(t, err)
	s, err := web.NewServer(l.Addr(), o)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	ts := httptest.NewUnstartedServer(s)
	ts.Listener.Close()
	ts.Listener = l
	ts.Start()
	t.Cleanup(ts.Close)
	u, err := url.Parse(s.URL())
	require.NoError(t, err)
	return "http://" + u.Host, u.Query().Get("token")
}

func TestRequestsNeedTokenHostAndOrigin(t *testing.T) {
	base, token := serve(t, studio.Options{})
	ask := func(change func(*http.Request)) (int, string) {
		r, err := http.NewRequest(http.MethodPost, base+"/api", strings.NewReader(`{"op":"run","source":"return 1"}`))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Studio-Token", token)
		r.Header.Set("X-Studio-Page", "p")
		change(r)
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		return answer.StatusCode, string(text)
	}
	code, text := ask(func(*http.Request) {})
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, text, `"reply":"(integer) 1"`)
	code, _ = ask(func(r *http.Request) { r.Header.Set("Origin", base) })
	require.Equal(t, http.StatusOK, code)
	for name, change := range map[string]func(*http.Request){
		"no token":     func(r *http.Request) { r.Header.Del("X-Studio-Token") },
		"wrong token":  func(r *http.Request) { r.Header.Set("X-Studio-Token", token+"x") },
		"wrong host":   func(r *http.Request) { r.Host = "evil.example:80" },
		"wrong origin": func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") },
		"null origin":  func(r *http.Request) { r.Header.Set("Origin", "null") },
	} {
		code, _ := ask(change)
		require.Equal(t, http.StatusForbidden, code, name)
	}
	code, _ = ask(func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") })
	require.Equal(t, http.StatusUnsupportedMediaType, code)
	code, _ = ask(func(r *http.Request) { r.Header.Del("X-Studio-Page") })
	require.Equal(t, http.StatusBadRequest, code)
	code, _ = ask(func(r *http.Request) {
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(strings.Repeat(" ", studio.MaxRequest+1))), -1
	})
	require.Equal(t, http.StatusRequestEntityTooLarge, code)
}

// The address that a browser gets on its command line leads to the page once.
func TestAnAddressThatWorksOnce(t *testing.T) {
	s, err := web.NewServer(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1234}, studio.Options{})
	require.NoError(t, err)
	defer s.Close()
	get := func(address string) *http.Response {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, address, nil))
		return w.Result()
	}
	once := s.OnceURL()
	token := strings.TrimPrefix(s.URL(), "http://127.0.0.1:1234/?token=")
	require.NotContains(t, once, token)
	answer := get(once)
	require.Equal(t, http.StatusSeeOther, answer.StatusCode)
	require.Equal(t, "/?token="+token, answer.Header.Get("Location"))
	for _, address := range []string{once, once + "x", "http://127.0.0.1:1234/open", "http://127.0.0.1:1234/open?code="} {
		answer = get(address)
		require.Equal(t, http.StatusForbidden, answer.StatusCode, address)
		require.Empty(t, answer.Header.Get("Location"))
	}
	require.Equal(t, http.StatusSeeOther, get(s.OnceURL()).StatusCode)
}

func TestOnlyLoopback(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "192.0.2.1:0", "example.com:0"} {
		_, err := web.Listen(addr)
		require.Error(t, err, addr)
	}
}

func TestThePageThatIsNotUsedEnds(t *testing.T) {
	base, token := serve(t, studio.Options{})
	ask := func(page, request string) string {
		r, err := http.NewRequest(http.MethodPost, base+"/api", strings.NewReader(request))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Studio-Token", token)
		r.Header.Set("X-Studio-Page", page)
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer answer.Body.Close()
		require.Equal(t, http.StatusOK, answer.StatusCode)
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		return string(text)
	}
	const debug, step = `{"op":"debug","source":"local a = 1\nlocal b = 2\nlocal c = 3"}`, `{"op":"step","how":"over"}`
	ask("used", debug)
	ask("unused", debug)
	for _, page := range strings.Split("c d e f g h", " ") {
		ask(page, debug)
	}
	require.Contains(t, ask("used", step), `"line":2`)
	ask("i", debug)
	require.Contains(t, ask("unused", step), "no script is being debugged")
	require.Contains(t, ask("used", step), `"line":3`)
}

func TestABrowserLeavesOutPort80(t *testing.T) {
	for addr, hosts := range map[string]map[string]int{
		"127.0.0.1:80":   {"127.0.0.1": 200, "localhost": 200, "127.0.0.1:81": 403, "evil.example": 403},
		"127.0.0.1:8080": {"127.0.0.1:8080": 200, "localhost:8080": 200, "127.0.0.1": 403, "localhost": 403, "[::1]:8080": 403},
	} {
		s, err := web.NewServer(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(addr)), studio.Options{})
		require.NoError(t, err)
		defer s.Close()
		for host, code := range hosts {
			r, w := httptest.NewRequest(http.MethodGet, "/", nil), httptest.NewRecorder()
			r.Host = host
			s.ServeHTTP(w, r)
			require.Equal(t, code, w.Code, host)
		}
	}
}
