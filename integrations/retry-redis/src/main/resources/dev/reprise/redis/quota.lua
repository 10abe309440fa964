-- One budget of retries for a fleet. Protocol and proof: docs/research/quota.md.
-- KEYS  1 the bucket, 2 when each client was heard last, 3 what is known of this client
-- ARGV  1 client  2 batch  3 capacity  4 epoch that the client knows, or ''  5 given back  6 earned  7 spent without Redis
--       8 wanted  9 in units of  10 lifetime in ms  11 tokens at birth  12 ms of youth
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local client, batch, capacity, known = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local lifetime, birth, youth = tonumber(ARGV[10]), tonumber(ARGV[11]), tonumber(ARGV[12])

local bucket = redis.call('HMGET', KEYS[1], 'epoch', 'level', 'grown')
local epoch, level, grown = bucket[1], tonumber(bucket[2]), tonumber(bucket[3])
if not epoch then
    -- A client that knows another epoch has seen what is lost: the bucket stays at its birth level, and is filled by success.
    epoch, level, grown = client .. ':' .. batch, math.min(birth, capacity), 0
    if known == '' then grown = now + youth end
end
if grown > 0 then
    if known ~= '' and known ~= epoch then
        grown = 0
    elseif now >= grown then
        level, grown = level + capacity - math.min(birth, capacity), 0
    elseif grown - now > youth then
        grown = now + youth
    end
end

local last = redis.call('HMGET', KEYS[3], 'batch', 'grant')
local grant = 0
if last[1] and batch <= tonumber(last[1]) then
    -- Done before. Of the newest batch the reply was lost; an older one comes too late for anyone to read the reply.
    if batch == tonumber(last[1]) then grant = tonumber(last[2]) end
else
    level = level + tonumber(ARGV[5]) + tonumber(ARGV[6]) - tonumber(ARGV[7])
    level = math.max(-capacity, math.min(level, capacity))
    local unit = math.max(1, tonumber(ARGV[9]))
    grant = math.max(0, math.floor(math.min(tonumber(ARGV[8]), level) / unit) * unit)
    level = level - grant
    redis.call('HSET', KEYS[3], 'batch', batch, 'grant', grant)
end
redis.call('PEXPIRE', KEYS[3], lifetime)
redis.call('HSET', KEYS[1], 'epoch', epoch, 'level', level, 'grown', grown)
redis.call('PEXPIRE', KEYS[1], lifetime)
redis.call('ZADD', KEYS[2], now, client)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - lifetime)
redis.call('PEXPIRE', KEYS[2], lifetime)
return { tostring(batch), tostring(grant), tostring(level), epoch, tostring(redis.call('ZCARD', KEYS[2])) }
