-- The state of an activity. This file stands in front of peek.lua and status.lua.
-- digest and deadline are the fields "digest" and "until" of the activity.
local function state(digest, deadline)
  if not digest then
    return 'absent'
  elseif not deadline then
    return 'loading'
  elseif deadline == 'closed' then
    return 'closed'
  elseif deadline ~= 'never' then
    local now = redis.call('TIME')
    if now[1] * 1000 + math.floor(now[2] / 1000) >= tonumber(deadline) then
      return 'due'
    end
  end
  return 'open'
end
