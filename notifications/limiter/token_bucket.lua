-- One question to one provider's limits: may `cost` messages leave now?
--
-- KEYS  1 pause     exists while the provider has asked everybody to wait
--       2 open      exists while the circuit breaker is open
--       3 failures  how many connections have failed in a row
--       4 probe     held by the one worker that tries a provider after its rest
--       5…          one bucket a window
-- ARGV  1 cost · 2 least: take fewer than cost, but no fewer than this · 3 failures that open the
--       breaker · 4 how long a probe may take, in ms · then three for each bucket: the window in
--       µs, its quota, and what a bucket without a memory starts with as spent (-1: ask first)
-- Answer {granted, µs to wait, cause, failures, the server's clock in µs}
--
-- A token that is taken comes back one whole window later, and not a moment before: so no window
-- of that length, wherever it begins, holds more than the quota. (The usual bucket, refilled at a
-- steady rate, holds up to twice the quota in a window: the full bucket and the refill.)
--
-- Everything is whole numbers. Time is cut into SLOTS parts of a window, and the tokens of a slot
-- come back together when the window after the slot's END is over: rounding to the later side
-- costs 1/SLOTS of the quota at most, and never grants a token too early. The µs of today need 51
-- bits of the 53 that a Lua number holds exactly.
local SLOTS = 250
local NONE, PAUSED, BROKEN, SPENT, FORGOTTEN = 0, 1, 2, 3, 4

local clock = redis.call('TIME')
local now = tonumber(clock[1]) * 1000000 + tonumber(clock[2])
local cost, least = tonumber(ARGV[1]), tonumber(ARGV[2])
local failures = tonumber(redis.call('GET', KEYS[3]) or '0')

local function rest(key, cause, longest_ms)
  local left = redis.call('PTTL', key)
  return left > 0 and {0, math.min(left, longest_ms or left) * 1000, cause, failures, now} or nil
end

-- A bucket that has lost its memory cannot know what was taken before. It starts with `spent`
-- tokens out, as if they had been taken evenly: it begins empty and fills at the quota's own rate.
local function start(bucket)
  local fields = {'oldest', bucket.slot - SLOTS, 'used', bucket.spent}
  for i = 1, SLOTS do
    local share = math.floor(i * bucket.spent / SLOTS) - math.floor((i - 1) * bucket.spent / SLOTS)
    if share > 0 then
      fields[#fields + 1] = bucket.slot - SLOTS + i - 1
      fields[#fields + 1] = share
    end
  end
  redis.call('DEL', bucket.key)
  redis.call('HSET', bucket.key, unpack(fields))
  bucket.oldest, bucket.used = bucket.slot - SLOTS, bucket.spent
end

local function remember(bucket)
  local known = redis.call('HMGET', bucket.key, 'oldest', 'used')
  bucket.oldest, bucket.used = tonumber(known[1] or nil), tonumber(known[2] or nil)
  -- Slots in the future: the clock was set back, and the memory is of no use.
  return bucket.oldest and bucket.used and bucket.oldest <= bucket.slot
end

local function take_back(bucket)
  local last = bucket.slot - SLOTS - 1
  if last < bucket.oldest then return end
  if bucket.used > 0 then
    for slot = bucket.oldest, math.min(last, bucket.oldest + SLOTS) do
      local tokens = redis.call('HGET', bucket.key, slot)
      if tokens then
        redis.call('HDEL', bucket.key, slot)
        bucket.used = bucket.used - tonumber(tokens)
      end
    end
  end
  bucket.oldest = last + 1
  redis.call('HSET', bucket.key, 'oldest', bucket.oldest, 'used', bucket.used)
end

local function wait_for(bucket, tokens)
  local missing = bucket.used + tokens - bucket.quota
  if missing <= 0 then return 0 end
  for slot = bucket.oldest, bucket.slot do
    missing = missing - tonumber(redis.call('HGET', bucket.key, slot) or '0')
    if missing <= 0 then return (slot + SLOTS + 1) * bucket.slot_length - now end
  end
  return bucket.window
end

local resting = rest(KEYS[1], PAUSED) or rest(KEYS[2], BROKEN)
if resting then return resting end
local is_probe = failures >= tonumber(ARGV[3])
if is_probe then
  -- The probe is usually answered at once: look again soon.
  local probed = rest(KEYS[4], BROKEN, 1000)
  if probed then return probed end
  cost, least = 1, 1
end

local buckets, granted, wait = {}, cost, 0
for i = 5, #KEYS do
  local at = 5 + (i - 5) * 3
  local bucket = {
    key = KEYS[i], window = tonumber(ARGV[at]), quota = tonumber(ARGV[at + 1]),
    spent = tonumber(ARGV[at + 2]),
  }
  bucket.slot_length = bucket.window / SLOTS
  bucket.slot = math.floor(now / bucket.slot_length)
  if not remember(bucket) then
    if bucket.spent < 0 then return {0, 0, FORGOTTEN, failures, now} end
    start(bucket)
  end
  take_back(bucket)
  granted = math.min(granted, bucket.quota - bucket.used)
  wait = math.max(wait, wait_for(bucket, least))
  buckets[#buckets + 1] = bucket
end
if granted < least then return {0, math.max(wait, 1), SPENT, failures, now} end
for _, bucket in ipairs(buckets) do
  redis.call('HINCRBY', bucket.key, bucket.slot, granted)
  redis.call('HINCRBY', bucket.key, 'used', granted)
end
if is_probe then redis.call('SET', KEYS[4], '1', 'PX', ARGV[4]) end
return {granted, 0, NONE, failures, now}
