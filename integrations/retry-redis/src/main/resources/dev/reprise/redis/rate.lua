-- One send rate for a fleet: slots in time, handed out once each, at a rate that the throttles of all steer.
-- Protocol, bounds and the search: docs/research/adaptive.md.
-- KEYS  1 the rate, 2 when each client was heard last
-- ARGV  1 client  2 slots wanted  3 generation of the counts  4 accepted  5 throttled  6 throttled before there was a rate
--       7 rate that this client was admitted at  8 fleet rate that it knows, or 0  9 lifetime in ms  10 least rate
--       11 horizon in us  12 us without a throttle until the limiter goes off
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local client, wanted, seen = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local accepted, throttled, joins = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local admitted, known, lifetime = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])
local least, horizon, quiet = tonumber(ARGV[10]), tonumber(ARGV[11]), tonumber(ARGV[12])

local FEW, TIGHT, NUDGE, DEEPEST, EVENT, PROBES = 3, 1.01, 0.02, 0.5, 1200000, 0.5
local s = {}
local names = { 'epoch', 'mode', 'rate', 'low', 'high', 'number', 'began', 'good', 'given', 'next', 'bad', 'cuts', 'step', 'hold', 'once', 'horizon' }
local values = redis.call('HMGET', KEYS[1], unpack(names))
for i, name in ipairs(names) do
    if i <= 2 then s[name] = values[i] else s[name] = tonumber(values[i]) or 0 end
end

local function off() return { '1', '0', '0', '0', '0', '', '0', '0' } end

-- From now on slots are handed out at another rate; what comes back is counted for this rate alone.
local function turn(mode, rate)
    rate = math.max(rate, least)
    -- The next slot comes after the last one at the new rate.
    if s.rate then s.next = s.next - 1000000 / s.rate + 1000000 / rate end
    s.mode, s.rate = mode, rate
    s.number, s.began, s.good, s.given = s.number + 1, math.max(now, s.next), 0, 0
end

-- A limiter that went off is remembered for as long as a client may know its rate.
if s.mode == 'off' then s.epoch, known = nil, 0 end
if not s.epoch then
    if joins == 0 and known == 0 then return off() end
    s = { epoch = client .. ':' .. string.format('%d', now), low = 0, high = 0, number = 0, next = now, bad = now, cuts = 0, step = NUDGE, hold = 15000000, once = 0, horizon = 0 }
    -- Slots of the rate that was lost may still be in use: the first new one comes when they have lapsed.
    if known > 0 then s.next = now + horizon end
    if known > 0 then turn('bisect', known) else turn('search', admitted / 2) end
    if known > 0 then s.low, s.high = known * 0.9, known * 1.1 end
elseif joins > 0 and s.mode == 'search' and s.low == 0 and not redis.call('ZSCORE', KEYS[2], client) then
    s.rate = s.rate + admitted / 2
end
s.horizon = math.max(s.horizon, horizon)
-- A clock that was set back must not stop the fleet.
if s.next - now > 2 * s.horizon + 1000000 / s.rate then s.next, s.began, s.bad = now, now, now end
s.bad = math.min(s.bad, now)
if joins > 0 then s.bad = now end

if seen == s.epoch .. ':' .. s.number then
    s.good = s.good + accepted
    if throttled > 0 then
        s.bad = now
        -- A server that refuses all for a while has said one thing.
        local isNews = s.good > 0 or now - s.began > EVENT
        if isNews then
            -- A throttle of a rate that is being tried says little about the rate that was good.
            local isTried = s.low > 0 and s.rate > s.low * 1.0001
            if s.good == 0 or (s.good < FEW and not isTried) then s.cuts = s.cuts + 1 else s.cuts = 0 end
            s.high = s.rate
            if s.cuts >= 2 then
                if s.low > 0 then s.once = s.low end
                s.low = 0
                -- While a server refuses all, it is asked every other second.
                turn('search', math.max(s.rate * DEEPEST, math.min(s.once / 2, PROBES)))
            elseif s.mode == 'probe' then
                s.step, s.hold = NUDGE, math.min(s.hold * 2, 30000000)
                turn('hold', s.low)
            elseif s.mode == 'search' then
                s.low = math.max(s.low, s.rate / 2)
                turn('bisect', (s.low + s.high) / 2)
            elseif s.rate <= s.low * 1.0001 or s.mode == 'hold' then
                s.low = s.rate * 0.97
                s.hold = 15000000
                turn('bisect', s.low)
            elseif s.high <= s.low * TIGHT then
                turn('hold', s.low)
            else
                turn('bisect', (s.low + s.high) / 2)
            end
        end
    elseif s.once > 0 and s.good > 0 then
        -- A server that refused all and accepts again: once, back to what was good before.
        s.low, s.high, s.cuts, s.once = math.max(s.rate, s.once / 2), s.once, 0, 0
        turn('bisect', s.low)
    else
        local seconds = (now - s.began) / 1000000
        local isBusy = s.given >= 0.7 * s.rate * seconds
        local span = 1
        if s.mode == 'search' then span = 0.5 end
        if isBusy and s.good >= math.max(5, s.rate * span) then
            if s.mode == 'search' then
                s.low, s.cuts = s.rate, 0
                turn('search', s.rate * 2)
            elseif s.mode == 'bisect' then
                s.low, s.cuts = s.rate, 0
                if s.high <= s.low * TIGHT then turn('hold', s.low) else turn('bisect', (s.low + s.high) / 2) end
            elseif s.mode == 'probe' then
                s.low = s.rate
                s.step, s.hold = s.step * 2, 15000000
                if s.step > 0.5 then turn('search', s.rate * 1.5) else turn('probe', s.low * (1 + s.step)) end
            elseif now - s.began > s.hold then
                s.low, s.cuts = s.rate, 0
                turn('probe', s.low * (1 + s.step))
            end
        end
    end
end

redis.call('ZADD', KEYS[2], now / 1000000, client)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', (now - 2 * s.horizon) / 1000000 - 3)
redis.call('PEXPIRE', KEYS[2], lifetime)
if now - s.bad > quiet then
    redis.call('HSET', KEYS[1], 'mode', 'off')
    redis.call('PEXPIRE', KEYS[1], lifetime)
    return off()
end

local clients = redis.call('ZCARD', KEYS[2])
local gap = 1000000 / s.rate
local first = math.max(s.next, now)
local slots, again = 0, 0
if wanted > 0 then
    local share = math.max(1, math.ceil(s.rate * 0.1 / clients))
    if first - now > horizon then
        -- The line is longer than the horizon: the client comes back when a part of it is over.
        again = math.floor((first - now - horizon) + horizon / 2)
    else
        slots = math.min(wanted, share)
        s.next = first + slots * gap
        s.given = s.given + slots
    end
end
local fields = {}
for _, name in ipairs(names) do
    fields[#fields + 1] = name
    local value = s[name]
    if type(value) == 'number' then value = string.format('%.17g', value) end
    fields[#fields + 1] = value
end
redis.call('HSET', KEYS[1], unpack(fields))
redis.call('PEXPIRE', KEYS[1], lifetime)
return {
    '0', tostring(slots), string.format('%d', first - now), string.format('%d', gap * 1000), string.format('%d', again),
    s.epoch .. ':' .. s.number, string.format('%.17g', s.rate), tostring(clients),
}
