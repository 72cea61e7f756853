package cmdline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFormsAreParsed(t *testing.T) {
	for _, f := range Forms() {
		require.Equal(t, f.Mode, Parse(f.Args, nil).Mode, f.Text)
		require.NotEmpty(t, f.Does)
	}
}

func TestParse(t *testing.T) {
	own := map[string]Own{"addr": {Value: true}, "cluster": {}, "databases": {Joined: true}, "tls-port": {Value: true, Only: "-1"}}
	for _, c := range []struct {
		args []string
		want Line
	}{
		{nil, Line{}},
		{[]string{"a.conf"}, Line{File: "a.conf", HasFile: true, Given: true}},
		{[]string{""}, Line{HasFile: true, Given: true}},
		{[]string{"-"}, Line{Stdin: true, Given: true}},
		{[]string{"a.conf", "--port", "1", "-"}, Line{File: "a.conf", HasFile: true, Stdin: true, Given: true, Options: `port "1" `}},
		{[]string{"--port", "1", "--save", "--dir", "a b"}, Line{Given: true, Options: "port \"1\" \nsave \"\"\ndir \"a b\" "}},
		{[]string{"--save"}, Line{Given: true, Options: `save ""`}},
		{[]string{"--requirepass", "--x", "--port", "1"}, Line{Given: true, Options: "requirepass \"--x\" \nport \"1\" "}},
		{[]string{"--port 1", "--hz", "2"}, Line{Given: true, Options: "port 1 \nhz \"2\" "}},
		{[]string{"--addr", ":1", "a.conf", "--cluster"},
			Line{File: "a.conf", HasFile: true, Given: true, Own: []string{"--addr", ":1", "--cluster"}}},
		{[]string{"--addr=:1", "--databases=2", "--databases", "3"},
			Line{Given: true, Own: []string{"--addr=:1", "--databases=2"}, Options: `databases "3" `}},
		{[]string{"--tls-port", "-1"}, Line{Own: []string{"--tls-port", "-1"}}},
		{[]string{"--tls-port", "7"}, Line{Given: true, Options: `tls-port "7" `}},
		{[]string{"--port", "1", "--version"}, Line{Given: true, Options: "port \"1\" \nversion "}},
		{[]string{"x", "--sentinel"}, Line{Mode: Sentinel, File: "x", HasFile: true, Given: true, Options: "sentinel "}},
	} {
		require.Equal(t, c.want, Parse(c.args, own), "%q", c.args)
	}
}
