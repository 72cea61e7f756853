package web_test

import (
	"io"
	"net/http"
	"net/http/httptest"
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

func TestOnlyLoopback(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "192.0.2.1:0", "example.com:0"} {
		_, err := web.Listen(addr)
		require.Error(t, err, addr)
	}
}

func TestTheOldestPageEnds(t *testing.T) {
	base, token := serve(t, studio.Options{})
	for _, page := range strings.Split("a b c d e f g h i j a", " ") {
		r, err := http.NewRequest(http.MethodPost, base+"/api", strings.NewReader(`{"op":"run","source":"return 1"}`))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Studio-Token", token)
		r.Header.Set("X-Studio-Page", page)
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		answer.Body.Close()
		require.Equal(t, http.StatusOK, answer.StatusCode)
	}
}
