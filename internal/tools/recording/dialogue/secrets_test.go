package dialogue

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Passwords are never passed on: each is written SECRET here.
func TestPasswordsAreHidden(t *testing.T) {
	for request, want := range map[string]string{
		"AUTH SECRET":                                   `["AUTH" "-"]`,
		"auth bob SECRET":                               `["auth" "bob" "-"]`,
		"AUTH SECRET SECRET SECRET":                     `["AUTH" "-" "-" "-"]`,
		"HELLO 3 AUTH bob SECRET SETNAME app":           `["HELLO" "3" "AUTH" "bob" "-" "SETNAME" "app"]`,
		"HELLO 3 SETNAME AUTH AUTH bob SECRET":          `["HELLO" "3" "SETNAME" "AUTH" "AUTH" "bob" "-"]`,
		"HELLO 3 AUTH SECRET":                           `["HELLO" "3" "AUTH" "-"]`,
		"HELLO 3 AUHT bob SECRET":                       `["HELLO" "3" "-" "-" "-"]`,
		"CONFIG SET requirepass SECRET":                 `["CONFIG" "SET" "requirepass" "-"]`,
		"config set maxmemory 1 MASTERAUTH SECRET":      `["config" "set" "maxmemory" "1" "MASTERAUTH" "-"]`,
		"CONFIG SET maxmemory SECRET x":                 `["CONFIG" "SET" "maxmemory" "-" "-"]`,
		"CONFIG SET maxmemory requirepass SECRET":       `["CONFIG" "SET" "maxmemory" "-" "-"]`,
		"CONFIG STE requirepass SECRET":                 `["CONFIG" "STE" "-" "-"]`,
		"CONFIG SET tls-auth-clients no":                `["CONFIG" "SET" "tls-auth-clients" "no"]`,
		"ACL SETUSER bob on >SECRET ~a:* +@all":         `["ACL" "SETUSER" "bob" "on" "-" "~a:*" "+@all"]`,
		"ACL SETUSER bob #SECRET !SECRET <SECRET":       `["ACL" "SETUSER" "bob" "-" "-" "-"]`,
		"ACL SETUSER bob (~k +get allkeys) SECRET":      `["ACL" "SETUSER" "bob" "(~k" "+get" "allkeys)" "-"]`,
		"ACL SETUSER bob (>SECRET":                      `["ACL" "SETUSER" "bob" "-"]`,
		"ACL SETUSR bob >SECRET":                        `["ACL" "SETUSR" "-" "-"]`,
		"ACL DRYRUN bob AUTH SECRET":                    `["ACL" "DRYRUN" "bob" "AUTH" "-"]`,
		"COMMAND GETKEYS AUTH bob SECRET":               `["COMMAND" "GETKEYS" "AUTH" "bob" "-"]`,
		"MIGRATE h 1 k 0 10 COPY AUTH SECRET":           `["MIGRATE" "h" "1" "k" "0" "10" "COPY" "AUTH" "-"]`,
		"MIGRATE h 1 k 0 10 AUTH2 bob SECRET KEYS AUTH": `["MIGRATE" "h" "1" "k" "0" "10" "AUTH2" "bob" "-" "KEYS" "AUTH"]`,
		"MIGRATE h 1 k 0 10 AHTU SECRET":                `["MIGRATE" "h" "1" "k" "0" "10" "-" "-"]`,
		"SENTINEL SET m auth-pass SECRET":               `["SENTINEL" "SET" "m" "-" "-"]`,
		"SET AUTH v":                                    `["SET" "AUTH" "v"]`,
		"ACL LOG 10":                                    `["ACL" "LOG" "10"]`,
	} {
		s := play(t, Options{}, []string{"C:" + command(request), "S:-ERR no 'SECRET'\r\n"}, whole)
		require.Equal(t, "request 1 "+want, s.lines[0])
		if strings.Contains(request, "SECRET") {
			require.Equal(t, `reply 1 "-ERR (redacted)\r\n"`, s.lines[1], request)
		}
	}
}

// words is a request of any words.
func words(list ...string) string {
	out := fmt.Sprintf("*%d\r\n", len(list))
	for _, w := range list {
		out += fmt.Sprintf("$%d\r\n%s\r\n", len(w), w)
	}
	return out
}

// A selector, which is one argument, has no password.
func TestPasswordsInSelectors(t *testing.T) {
	request := words("ACL", "SETUSER", "bob", "(~k +get)", "(~k >SECRET)")
	s := play(t, Options{}, []string{"C:" + request, "S:-ERR modifier '(~k >SECRET)'\r\n"}, whole)
	require.Equal(t, []string{`request 1 ["ACL" "SETUSER" "bob" "(~k +get)" "-"]`, `reply 1 "-ERR (redacted)\r\n"`}, s.lines)
}

// Errors show a password in other bytes: its beginning, up to a NUL byte, without line breaks.
func TestErrorsThatShowPartsOfPasswords(t *testing.T) {
	long := strings.Repeat("SECRET", 100)
	for secret, shown := range map[string]string{"SEC\r\nRET": "SEC  RET", "SEC\x00RET": "SEC", long: long[:128], "SECRET": "SECRET"} {
		request := words("ACL", "SETUSER", "bob", "x"+secret)
		s := play(t, Options{}, []string{"C:" + request, "S:-ERR modifier 'x" + shown + "'\r\n"}, whole)
		require.Equal(t, `reply 1 "-ERR (redacted)\r\n"`, s.lines[1], secret)
	}
}

// An error in the reply of EXEC may repeat a password.
func TestErrorsOfTransactions(t *testing.T) {
	s := play(t, Options{}, []string{
		"C:" + command("MULTI") + command("ACL SETUSER bob SECRET") + command("EXEC") + command("PING"),
		"S:+OK\r\n+QUEUED\r\n*1\r\n-ERR modifier 'SECRET'\r\n+PONG\r\n",
	}, whole)
	require.NotContains(t, fmt.Sprint(s.lines), "SECRET")
	require.Equal(t, []string{"hidden 3", `reply 4 "+PONG\r\n"`}, s.lines[len(s.lines)-2:])
}

// Replies that contain passwords are hidden, also in transactions.
func TestRepliesWithPasswordsAreHidden(t *testing.T) {
	for request, hidden := range map[string]bool{
		"ACL LIST": true, "ACL GETUSER bob": true, "ACL GENPASS": true, "CONFIG GET requirepass": true, "CONFIG GET *": true,
		"config get MAX* req*": true, "CONFIG GET maxmemory": false, "ACL USERS": false, "ACL WHOAMI": false,
		"SENTINEL CONFIG GET *": true,
	} {
		s := play(
			t,
			Options{},
			[]string{
				"C:" + command(
					request,
				) + command(
					"MULTI",
				) + command(
					request,
				) + command(
					"EXEC",
				) + command(
					"PING",
				),
				"S:*1\r\n$6\r\nSECRET\r\n+OK\r\n+QUEUED\r\n*1\r\n*1\r\n$6\r\nSECRET\r\n+PONG\r\n",
			},
			whole,
		)
		if hidden {
			require.Equal(
				t,
				[]string{
					"hidden 1",
					`reply 2 "+OK\r\n"`,
					"hidden 3",
					"hidden 4",
					`reply 5 "+PONG\r\n"`,
				},
				s.lines[5:],
				request,
			)
		} else {
			require.NotContains(t, fmt.Sprint(s.lines), "hidden")
		}
	}
}

// A password is hidden also in a request that is too long to be kept.
func TestLongPasswordsAreHidden(t *testing.T) {
	secret := strings.Repeat("SECRET", 1000)
	for _, size := range []int{1, 10, 1000, 1 << 20} {
		s := play(
			t,
			Options{Piece: 100},
			[]string{
				"C:" + command("AUTH bob "+secret) + command("PING"),
				"S:-ERR " + secret + "\r\n+PONG\r\n",
			},
			func(left int) int { return min(left, size) },
		)
		require.Equal(
			t,
			[]string{
				`request 1 ["AUTH" "-"]`,
				`request 2 ["PING"]`,
				"hidden 1",
				`reply 2 "+PONG\r\n"`,
			},
			s.lines,
		)
	}
}
