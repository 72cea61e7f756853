while true do if redis.call('INCR', 'n') > 2 then break end
end
return 1
