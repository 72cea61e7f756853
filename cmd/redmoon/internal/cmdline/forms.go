package cmdline

// Form is a form of the command line of redis-server.
type Form struct {
	Text string   // as a user reads it, without the name of the program
	Args []string // an example
	Mode Mode     // what Parse makes of it
	Does string
}

// Forms lists every form of the command line of redis-server 7.0.15.
func Forms() []Form {
	return []Form{
		{"", nil, Serve, "serves with the defaults, on port 6379"},
		{"FILE", []string{"redis.conf"}, Serve, "reads a configuration file; it must be the first argument"},
		{"-", []string{"-"}, Serve, "reads the configuration from standard input; it must be the first or the last argument"},
		{"--NAME VALUE ...", []string{"--port", "7000", "--save", "", "--appendonly", "yes"}, Serve,
			"sets a directive, after those of the file and of standard input; several values are several arguments, or one with spaces"},
		{"\"--NAME VALUE\"", []string{"--port 7000"}, Serve, "the same in one argument"},
		{"--save", []string{"--save", "--port", "7000"}, Serve, "without a value: no save points"},
		{"--NAME --VALUE", []string{"--requirepass", "--secret"}, Serve, "the value of a name may begin with dashes"},
		{"-v, --version", []string{"-v"}, Version, "prints the version; exit code 0"},
		{"-h, --help", []string{"-h"}, Help, "prints the forms; exit code 1. `redmoon serve --help`: exit code 0"},
		{"--test-memory MEGABYTES", []string{"--test-memory", "1"}, TestMemory, "refused, with the programs that can do it; exit code 1"},
		{"--test-memory", []string{"--test-memory"}, TestMemoryBad, "prints what is missing; exit code 1"},
		{"--check-system", []string{"--check-system"}, CheckSystem, "checks what matters to a Go program; exit code 0"},
		{"--sentinel", []string{"sentinel.conf", "--sentinel"}, Sentinel,
			"refused: use the redis-sentinel of Redis, which watches redmoon servers too; exit code 1"},
	}
}
