module github.com/redmoon-lua/redmoon/clients/miniredis

go 1.26.0

replace github.com/redmoon-lua/redmoon => ../../

require (
	github.com/alicebob/miniredis/v2 v2.40.0
	github.com/redmoon-lua/redmoon v0.0.0-00010101000000-000000000000
	github.com/stretchr/testify v1.12.1
)

require (
	github.com/yuin/gopher-lua v1.1.2 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	layeh.com/gopher-json v0.0.0-20190114024228-97fed8db8427 // indirect
)
