if ARGV[1] == 'a' then
  return 1
end
return 2
