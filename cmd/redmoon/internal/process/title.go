package process

import (
	"os"
	"strconv"
	"strings"
)

// TitleFacts are what the words of proc-title-template stand for.
type TitleFacts struct {
	Program string // as it was called
	File    string // of the configuration
	Bind    string // as the parameter bind
	Port    int    // 0: none
	TLSPort int    // 0: none
	Unix    string // path of the unix socket
	Cluster bool
}

// Title returns the title that a template of the parameter proc-title-template makes.
func Title(template string, f TitleFacts) string {
	listens := f.Unix
	if port := firstPort(f); port != 0 {
		host, _, _ := strings.Cut(f.Bind, " ")
		if host == "" {
			host = "*"
		}
		listens = host + ":" + strconv.Itoa(port)
	}
	if f.File == "" {
		f.File = "-"
	}
	mode := ""
	if f.Cluster {
		mode = "[cluster]"
	}
	return strings.TrimRight(strings.NewReplacer("{title}", f.Program, "{config-file}", f.File, "{port}", strconv.Itoa(f.Port),
		"{tls-port}", strconv.Itoa(f.TLSPort), "{unixsocket}", f.Unix, "{listen-addr}", listens, "{server-mode}", mode).Replace(template),
		" ")
}

func firstPort(f TitleFacts) int {
	if f.Port != 0 {
		return f.Port
	}
	return f.TLSPort
}

// titleArea is the memory in which the system keeps the arguments and the environment, whose begin
// it shows as the title of the process.
var titleArea []byte

// ReserveTitle makes [SetTitle] possible. It must be called first in main: it moves os.Args to
// other memory. Go has copied the environment already. Linux only.
func ReserveTitle() {
	titleArea = argumentArea(os.Args, os.Environ())
	if titleArea == nil {
		return
	}
	for i, arg := range os.Args {
		os.Args[i] = strings.Clone(arg)
	}
}

// maxTitle is the number of bytes of the longest title that Redis shows.
const maxTitle = 255

// SetTitle changes the title of the process that ps shows. A title of more than 255 bytes, or one
// for which the system has no space, is cut. It does nothing without [ReserveTitle].
func SetTitle(title string) {
	if len(titleArea) == 0 {
		return
	}
	n := copy(titleArea[:min(len(titleArea)-1, maxTitle)], title)
	clear(titleArea[n:])
}
