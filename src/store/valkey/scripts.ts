/**
 * The changes that must happen as a whole, as Lua. An owner has four kinds of keys, all in one slot of a cluster:
 *
 *     {tag}:i          when each entry was last used: milliseconds by the clock of the server, to the microsecond
 *     {tag}:f          `<bytes here> <bytes of content> <chunks> <id of content>` of each entry, and `bytes`, the sum
 *     {tag}:b          under which name content is kept, by its id
 *     {tag}:e:<name>   an entry: `meta`, `chunks`, and its first chunk as `0`
 *     {tag}:e:<name>:1 …  the other chunks
 *
 * All of them live as long as the newest use says. A pinned entry has the field `pinned`, and counts as used in a hundred years.
 * KEYS: i, f, b. ARGV: life in milliseconds, then as each script says.
 */
import { script } from './connection.ts'

const SHARED = `
local index, facts, ids = KEYS[1], KEYS[2], KEYS[3]
local base = string.sub(index, 1, -2) .. 'e:'
local life = tonumber(ARGV[1])
local time = redis.call('TIME')
-- With the microseconds as a fraction: several entries may be used within one millisecond.
local now = time[1] * 1000 + time[2] / 1000

local function factsOf(name)
  local fact = redis.call('HGET', facts, name)
  if not fact then return nil end
  local bytes, size, chunks, id = string.match(fact, '^(%d+) (%d+) (%d+) (.*)$')
  return tonumber(bytes), tonumber(chunks), id, tonumber(size)
end

local function keysOf(name, chunks)
  local keys = { base .. name }
  for n = 1, chunks - 1 do keys[n + 1] = base .. name .. ':' .. n end
  return keys
end

local function drop(name)
  local bytes, chunks, id = factsOf(name)
  if bytes then
    redis.call('HDEL', facts, name)
    redis.call('HINCRBY', facts, 'bytes', string.format('%.0f', -bytes))
    if redis.call('HGET', ids, id) == name then redis.call('HDEL', ids, id) end
  end
  redis.call('ZREM', index, name)
  return redis.call('UNLINK', unpack(keysOf(name, chunks or 1)))
end

local function expire()
  for _, name in ipairs(redis.call('ZRANGEBYSCORE', index, '-inf', now - life)) do drop(name) end
end

-- The keys of the owner live as long as the entry that lives longest.
local function stay()
  local last = redis.call('ZREVRANGE', index, 0, 0, 'WITHSCORES')[2]
  local left = string.format('%.0f', math.max(now, tonumber(last or '0')) - now + life)
  for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, left) end
end

-- False: a part of it is not there any more.
local function touch(name, chunks)
  local ahead = redis.call('HGET', base .. name, 'pinned') == '1' and 3155760000000 or 0
  local left = string.format('%.0f', ahead + life)
  local whole = 1
  for _, key in ipairs(keysOf(name, chunks)) do whole = math.min(whole, redis.call('PEXPIRE', key, left)) end
  if whole == 0 then
    stay()
    return false
  end
  redis.call('ZADD', index, string.format('%.3f', now + ahead), name)
  stay()
  return true
end

-- False: the entry is absent. An entry that is not whole is removed.
local function use(name)
  local _, chunks = factsOf(name)
  if not chunks then return false end
  local whole = touch(name, chunks)
  if not whole then drop(name) end
  return whole
end
`

/** ARGV: name, id, bytes here, size, chunks, quota, meta, chunk 0, 1 for pinned. Removes what was used longest ago where there is no room. */
export const PUT = script(`${SHARED}
local name, id, bytes, size, chunks, quota = ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7])
expire()
local before = factsOf(name) or 0
local function sum() return tonumber(redis.call('HGET', facts, 'bytes') or '0') end
while sum() - before + bytes > quota do
  local oldest = redis.call('ZRANGE', index, 0, 1)
  local victim = oldest[1] == name and oldest[2] or oldest[1]
  if not victim then break end
  drop(victim)
end
redis.call('HSET', base .. name, 'meta', ARGV[8], 'chunks', chunks, '0', ARGV[9], 'pinned', ARGV[10])
redis.call('HSET', facts, name, string.format('%.0f', bytes) .. ' ' .. size .. ' ' .. chunks .. ' ' .. id)
redis.call('HINCRBY', facts, 'bytes', string.format('%.0f', bytes - before))
redis.call('HSET', ids, id, name)
if not touch(name, chunks) then
  drop(name)
  return 0
end
return 1
`)

/** ARGV: name, id, meta, 1 for pinned. Writes what is known of an entry that is there; 0: it is not. */
export const RENEW = script(`${SHARED}
local name = ARGV[2]
local _, chunks = factsOf(name)
if not chunks or redis.call('EXISTS', base .. name) == 0 then return 0 end
redis.call('HSET', base .. name, 'meta', ARGV[4], 'pinned', ARGV[5])
if not touch(name, chunks) then
  drop(name)
  return 0
end
redis.call('HSET', ids, ARGV[3], name)
return 1
`)

/** ARGV: name. Counts as a use. Returns meta, chunks and chunk 0; nothing, where it is not whole. */
export const TAKE = script(`${SHARED}
if not use(ARGV[2]) then return nil end
return redis.call('HMGET', base .. ARGV[2], 'meta', 'chunks', '0')
`)

/** ARGV: name. Counts as a use. Returns meta. */
export const LOOK = script(`${SHARED}
if not use(ARGV[2]) then return nil end
return redis.call('HGET', base .. ARGV[2], 'meta')
`)

/** ARGV: id of content. Returns name and meta of the entry that holds it. */
export const FIND = script(`${SHARED}
local name = redis.call('HGET', ids, ARGV[2])
if not name then return nil end
local meta = redis.call('HGET', base .. name, 'meta')
if meta then return { name, meta } end
drop(name)
return nil
`)

/** ARGV: how many at most. Returns name and meta of the entries used last, one after the other. */
export const LIST = script(`${SHARED}
expire()
local found = {}
for _, name in ipairs(redis.call('ZREVRANGE', index, 0, tonumber(ARGV[2]) - 1)) do
  local meta = redis.call('HGET', base .. name, 'meta')
  if meta then
    found[#found + 1] = name
    found[#found + 1] = meta
  else
    drop(name)
  end
end
return found
`)

/** ARGV: name. 1: it was there. */
export const REMOVE = script(`${SHARED}
local there = redis.call('EXISTS', base .. ARGV[2])
drop(ARGV[2])
return there
`)

/** Returns entries and bytes of their content. */
export const COUNT = script(`${SHARED}
expire()
local entries, bytes = 0, 0
for _, name in ipairs(redis.call('ZRANGE', index, 0, -1)) do
  local _, _, _, size = factsOf(name)
  if size then entries, bytes = entries + 1, bytes + size end
end
return { entries, bytes }
`)
