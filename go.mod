module github.com/redmoon-lua/redmoon

go 1.25.0
