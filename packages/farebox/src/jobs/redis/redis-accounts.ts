import type { EnterOutcome, EntryChange, JobAccounts } from '../job-accounts.ts'
import type { Holder } from '../job-store.ts'
import type { RedisConnection } from './redis-connection.ts'

/**
 * Writes an entry of an account. An account is a hash: `total`, `entries` (their number), `rev <name>` and `text
 * <name>` of each entry, and `sum <key>`, the amount that counts towards a sum until the job is settled. A sum is a
 * separate number. The script follows `account-row.ts`.
 *
 * KEYS: job, account, then the sums. ARGV: fence, name, revision to replace, text, keep (ms), most entries, amount,
 * most of the job, then for each sum: most, keep (ms), 1 if it counts until settled. Returns {'entered'}, {'not-held'},
 * {'settled'}, {'replaced'}, {'full'}, or {'over', index of the sum (0: the job), amount left}.
 */
const ENTER_SCRIPT = `
local name, amount = ARGV[2], tonumber(ARGV[7])
local job = redis.call('HMGET', KEYS[1], 'fence', 'state')
if job[1] ~= ARGV[1] then return {'not-held'} end
if job[2] == 'settled' then return {'settled'} end
local account = redis.call('HMGET', KEYS[2], 'total', 'entries', 'rev ' .. name)
if (account[3] or '0') ~= ARGV[3] then return {'replaced'} end
local entries = tonumber(account[2] or '0')
if ARGV[3] == '0' and entries >= tonumber(ARGV[6]) then return {'full'} end
if amount > 0 then
  local total, most = tonumber(account[1] or '0'), tonumber(ARGV[8])
  if total + amount > most then return {'over', 0, most - total} end
  for at = 3, #KEYS do
    local had, bound = tonumber(redis.call('GET', KEYS[at]) or '0'), tonumber(ARGV[3 * at])
    if had + amount > bound then return {'over', at - 2, bound - had} end
  end
end
redis.call('HSET', KEYS[2], 'rev ' .. name, ARGV[3] + 1, 'text ' .. name, ARGV[4])
redis.call('HINCRBY', KEYS[2], 'total', ARGV[7])
if ARGV[3] == '0' then redis.call('HINCRBY', KEYS[2], 'entries', 1) end
for at = 3, #KEYS do
  redis.call('INCRBY', KEYS[at], ARGV[7])
  if redis.call('PTTL', KEYS[at]) < tonumber(ARGV[3 * at + 1]) then redis.call('PEXPIRE', KEYS[at], ARGV[3 * at + 1]) end
  if ARGV[3 * at + 2] == '1' then redis.call('HINCRBY', KEYS[2], 'sum ' .. KEYS[at], ARGV[7]) end
end
if redis.call('PTTL', KEYS[2]) < tonumber(ARGV[5]) then redis.call('PEXPIRE', KEYS[2], ARGV[5]) end
return {'entered'}
`

/** The method that `defineCommand` adds to the client. */
interface AccountCommands {
  enterAccount(
    keys: number,
    ...rest: readonly (string | number)[]
  ): Promise<[kind: EnterOutcome['kind'], sum?: number, left?: number]>
}

/** Opens the accounts of a Redis job store; `keyOf` returns the key of a job's account. */
export function openRedisAccounts(parts: {
  readonly redis: RedisConnection['redis']
  readonly ask: RedisConnection['ask']
  readonly jobKeyOf: (jobKey: string) => string
  readonly replicated: () => Promise<void>
  readonly prefix: string
}): { readonly port: JobAccounts; readonly keyOf: (jobKey: string) => string } {
  const { redis, ask, jobKeyOf, replicated, prefix } = parts
  redis.defineCommand('enterAccount', { lua: ENTER_SCRIPT })
  // The line above adds this method to the client; its type does not know it.
  const commands = redis as unknown as AccountCommands
  const keyOf = (jobKey: string): string => `${prefix}account:${jobKey}`
  const sumKeyOf = (sum: string): string => `${prefix}sum:${sum}`
  const port: JobAccounts = {
    async enter(holder, change) {
      const keys = [
        jobKeyOf(holder.jobKey),
        keyOf(holder.jobKey),
        ...change.sums.map(({ key }) => sumKeyOf(key)),
      ]
      const [kind, sum = 0, left = 0] = await ask(() =>
        commands.enterAccount(keys.length, ...keys, ...enterArguments(holder, change)),
      )
      if (kind === 'over') return { kind, sum: change.sums[sum - 1]?.key, left: BigInt(Math.max(0, left)) }
      if (kind === 'entered') await replicated()
      return { kind }
    },
    async entry(jobKey, name) {
      const [revision, text] = await ask(() => redis.hmget(keyOf(jobKey), `rev ${name}`, `text ${name}`))
      return typeof revision === 'string' && typeof text === 'string'
        ? { revision: Number(revision), text }
        : undefined
    },
    async totals(jobKey, sums) {
      const [total, amounts] = await Promise.all([
        ask(() => redis.hget(keyOf(jobKey), 'total')),
        sums.length === 0 ? [] : ask(() => redis.mget(...sums.map(sumKeyOf))),
      ])
      return { job: BigInt(total ?? 0), sums: amounts.map(amount => BigInt(amount ?? 0)) }
    },
  }
  return { port, keyOf }
}

function enterArguments({ fence }: Holder, change: EntryChange): readonly (string | number)[] {
  const { name, replaces, text, keepMs, mostEntries, amount, mostOfJob, sums } = change
  return [
    fence,
    name,
    replaces,
    text,
    Math.ceil(keepMs),
    mostEntries,
    String(amount),
    String(mostOfJob),
    ...sums.flatMap(({ most, keepMs: kept, untilSettled }) => [
      String(most),
      Math.ceil(kept),
      untilSettled ? 1 : 0,
    ]),
  ]
}
