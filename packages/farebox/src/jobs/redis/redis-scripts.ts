/**
 * The operations of the Redis store, one script each: Redis runs a script exclusively, so each is atomic over all its
 * keys. They follow `job-row.ts`, with the server's clock, and with Redis expiry in place of `forgottenMs`.
 *
 * A job is a hash of `fence`, `lease` (its end in Unix milliseconds; 0: released), `sealed` (0 or 1), `state` and
 * `record` (the job as JSON). A payment is a string: the key of the job it is claimed for. The sorted set of saved jobs
 * has the end of each job's lease as its score.
 */

const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`

/**
 * KEYS: job, saved, then the payment if there is one. ARGV: job key, fence, lease (ms), keep (ms), state, record, and
 * keep (ms) of the payment. Returns {'claimed', record}, {'held'} or {'payment-taken'}.
 */
export const CLAIM_SCRIPT = `${NOW}
local jobKey, fence, lease, keep = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
if KEYS[3] then
  local buys = redis.call('GET', KEYS[3])
  if buys and buys ~= jobKey then return {'payment-taken'} end
end
local kept = redis.call('HMGET', KEYS[1], 'sealed', 'lease', 'state', 'record')
if kept[4] and (kept[1] == '1' or tonumber(kept[2]) > now) then return {'held'} end
local state, record = kept[3] or ARGV[5], kept[4] or ARGV[6]
local keptFor = redis.call('PTTL', KEYS[1])
redis.call('HSET', KEYS[1], 'fence', fence, 'lease', now + lease, 'sealed', 0)
redis.call('HSET', KEYS[1], 'state', state, 'record', record)
if state == 'saved' then
  redis.call('PERSIST', KEYS[1])
  redis.call('ZADD', KEYS[2], now + lease, jobKey)
elseif keptFor < lease + keep then
  redis.call('PEXPIRE', KEYS[1], lease + keep)
end
if KEYS[3] and redis.call('PTTL', KEYS[3]) < tonumber(ARGV[7]) then
  redis.call('SET', KEYS[3], jobKey, 'PX', ARGV[7])
end
return {'claimed', record}
`

/**
 * KEYS: job, saved, account. ARGV: job key, fence, lease (ms; 0 releases), keep (ms), state, record, 1 to seal, and the
 * amount that was paid for the job. With the state `settled`, at most the paid amount is subtracted from each sum that
 * counted the account until then, and the account expires with the job. Returns 1, or 0 when the fence is not the
 * job's.
 */
export const KEEP_SCRIPT = `${NOW}
local lease, keep = tonumber(ARGV[3]), tonumber(ARGV[4])
if redis.call('HGET', KEYS[1], 'fence') ~= ARGV[2] then return 0 end
local leaseEnds = 0
if lease > 0 then leaseEnds = now + lease end
redis.call('HSET', KEYS[1], 'lease', leaseEnds, 'state', ARGV[5], 'record', ARGV[6])
if ARGV[7] == '1' then redis.call('HSET', KEYS[1], 'sealed', 1) end
if ARGV[5] == 'saved' then
  redis.call('PERSIST', KEYS[1])
  redis.call('ZADD', KEYS[2], leaseEnds, ARGV[1])
else
  redis.call('PEXPIRE', KEYS[1], lease + keep)
  redis.call('ZREM', KEYS[2], ARGV[1])
end
if ARGV[5] == 'settled' and redis.call('EXISTS', KEYS[3]) == 1 then
  for _, field in ipairs(redis.call('HKEYS', KEYS[3])) do
    if string.sub(field, 1, 4) == 'sum ' then
      local sum, amount = string.sub(field, 5), redis.call('HGET', KEYS[3], field)
      if tonumber(amount) > tonumber(ARGV[8]) then amount = ARGV[8] end
      if redis.call('EXISTS', sum) == 1 then redis.call('DECRBY', sum, amount) end
      redis.call('HDEL', KEYS[3], field)
    end
  end
  redis.call('PEXPIRE', KEYS[3], lease + keep)
end
return 1
`

/**
 * KEYS: job, saved, then the payment if there is one. ARGV: job key, fence. Returns 1, or 0 when the fence is not the
 * job's.
 */
export const FORGET_SCRIPT = `
if redis.call('HGET', KEYS[1], 'fence') ~= ARGV[2] then return 0 end
redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[1])
if KEYS[3] and redis.call('GET', KEYS[3]) == ARGV[1] then redis.call('DEL', KEYS[3]) end
return 1
`

/** KEYS: job. Returns {record, 1 if it is held, otherwise 0}, or nothing. */
export const READ_SCRIPT = `${NOW}
local kept = redis.call('HMGET', KEYS[1], 'record', 'sealed', 'lease')
if not kept[1] then return {} end
if kept[2] == '0' and tonumber(kept[3]) > now then return {kept[1], 1} end
return {kept[1], 0}
`

/** KEYS: saved. Returns the keys of the jobs whose lease has ended. */
export const UNRESOLVED_SCRIPT = `${NOW}
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now)
`
