package process

import (
	"os"
	"strconv"
)

// WritePID writes the number of the process to a file. As in Redis, nobody hears of an error.
func WritePID(path string) {
	_ = os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o644)
}
