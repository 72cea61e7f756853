package main

import "fmt"

var manyScripts = growth("scripts", "clients send scripts that differ in a number",
	[]setting{
		{name: "100000 scripts", clients: 1, attack: func(v *victim) (int, error) {
			return 0, v.evalMany(100_000, "return %d")
		}},
		{name: "20000 longer ones", clients: 1, attack: func(v *victim) (int, error) {
			return 0, v.evalMany(20_000, "local n = tonumber(redis.call('GET', KEYS[1]) or '0')\nif n > %d then\n"+
				"  redis.call('SET', KEYS[1], n + tonumber(ARGV[1] or 1))\n  return {n, 'large'}\nend\nreturn redis.status_reply('small')")
		}},
	})

// evalMany runs n scripts, each of the form with a number of its own.
func (v *victim) evalMany(n int, form string) error {
	const batch = 500
	for i := 0; i < n; i += batch {
		var b []byte
		for k := range batch {
			b = append(b, command("EVAL", fmt.Sprintf(form, i+k), "1", "k")...)
		}
		v.admin.hurry()
		if _, err := v.admin.Write(b); err != nil {
			return err
		}
		for range batch {
			if err := v.admin.skipReply(); err != nil {
				return err
			}
		}
	}
	return nil
}
