package repo

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The image built from source and the image of a release behave the same.
func TestImagesAreAlike(t *testing.T) {
	settings := func(name string) (base string, lines []string) {
		names := map[string]string{}
		for line := range strings.Lines(read(t, "packaging/"+name)) {
			fields := strings.Fields(line)
			if len(fields) < 2 {
				continue
			}
			switch fields[0] {
			case "FROM": // a stage begins
				base, lines = fields[1], nil
				if named := names[base]; named != "" {
					base = named
				}
				if len(fields) == 4 {
					names[fields[3]] = base
				}
			case "USER", "ENV", "WORKDIR", "VOLUME", "EXPOSE", "ENTRYPOINT", "CMD":
				lines = append(lines, strings.Join(fields, " "))
			}
		}
		return base, lines
	}
	base, lines := settings("Dockerfile")
	releaseBase, releaseLines := settings("Dockerfile.release")
	require.Equal(t, base, releaseBase)
	require.Equal(t, lines, releaseLines)
	require.Contains(t, lines, "VOLUME /data")
}
