import type { Job } from '../job.ts'
import type { ClaimOutcome, Holder, JobChange, JobClaim, OpenJobStore } from '../job-store.ts'
import { paidFor } from '../paid-for.ts'
import { readRedisAddress } from './redis-address.ts'
import { openRedisAccounts } from './redis-accounts.ts'
import { connectRedis } from './redis-connection.ts'
import { CLAIM_SCRIPT, FORGET_SCRIPT, KEEP_SCRIPT, READ_SCRIPT, UNRESOLVED_SCRIPT } from './redis-scripts.ts'

type Arguments = readonly (string | number)[]

/** Shorter than the timeout of a command. */
const REPLICATED_WITHIN_MS = 500

/**
 * The methods that `defineCommand` adds to the client. Arguments: the number of keys, the keys, the script's arguments.
 */
interface JobCommands {
  claimJob(keys: number, ...rest: Arguments): Promise<[kind: ClaimOutcome['kind'], record?: string]>
  keepJob(keys: number, ...rest: Arguments): Promise<0 | 1>
  forgetJob(keys: number, ...rest: Arguments): Promise<0 | 1>
  readJob(keys: number, ...rest: Arguments): Promise<[record?: string, held?: 0 | 1]>
  unresolvedJobs(keys: number, ...rest: Arguments): Promise<string[]>
}

/**
 * Jobs in a Redis server (`redis://host:6379/0`, `rediss://…` for TLS; `?prefix=name` for keys that begin with `name:`,
 * by default `farebox:`), for processes on any number of machines. It needs Redis 5 or later, or a compatible server:
 * one primary, found among several servers, by Sentinels (`?sentinel=name`) or in a cluster (`?cluster=true`, Redis 6 or
 * later). All keys of a prefix are in one slot of a cluster, so every script is whole; agents with different prefixes
 * are spread over its slots. Agents that share a Redis but not their jobs need different prefixes.
 *
 * Times are the server's. A resolved write is as durable as the server's configuration: `appendonly yes` survives a
 * crash of the server, but a failover may lose the last writes. Then the facilitator's own record of a payment prevents
 * its second use (D10), and lets its job be delivered again (D40). With `?replicas=1` a claim or a write counts only
 * when that many replicas have it.
 *
 * When Redis cannot be reached or does not answer within a second, every method rejects, and the connection is replaced
 * in the background. Opening rejects when Redis cannot be reached, refuses the password, or may evict keys (D25). No
 * error contains a password.
 */
export async function openRedisStore(setting: string): Promise<OpenJobStore> {
  const address = readRedisAddress(setting)
  const { redis, ask, close } = await connectRedis(address)
  redis.defineCommand('claimJob', { lua: CLAIM_SCRIPT })
  redis.defineCommand('keepJob', { lua: KEEP_SCRIPT })
  redis.defineCommand('forgetJob', { lua: FORGET_SCRIPT })
  redis.defineCommand('readJob', { lua: READ_SCRIPT })
  redis.defineCommand('unresolvedJobs', { lua: UNRESOLVED_SCRIPT })
  // The lines above add these methods to the client; its type does not know them.
  const commands = redis as unknown as JobCommands
  const savedKey = `${address.prefix}saved`
  const jobKeyOf = (jobKey: string): string => `${address.prefix}job:${jobKey}`
  const paymentKeysOf = (payment: string | undefined): string[] =>
    payment === undefined ? [] : [`${address.prefix}payment:${payment}`]

  /** Waits until the configured number of replicas have the last write; rejects when they do not have it in time. */
  const replicated = async (): Promise<void> => {
    if (address.replicas === 0) return
    const count = await ask(() => redis.wait(address.replicas, REPLICATED_WITHIN_MS))
    if (count >= address.replicas) return
    throw new Error(
      `SERVICE_STORE=${address.name} cannot be used: ${count} of ${address.replicas} replicas have the last write`,
    )
  }

  const accounts = openRedisAccounts({ redis, ask, jobKeyOf, replicated, prefix: address.prefix })
  return {
    name: address.name,
    shared: true,
    accounts: accounts.port,
    store: {
      async claim(claim) {
        const keys = [jobKeyOf(claim.jobKey), savedKey, ...paymentKeysOf(claim.payment?.key)]
        const rest = claimArguments(claim)
        const [kind, record] = await ask(() => commands.claimJob(keys.length, ...keys, ...rest))
        if (kind === 'claimed') await replicated()
        return kind === 'claimed' ? { kind, job: decodeJob(record) } : { kind }
      },
      async read(jobKey) {
        const [record, held] = await ask(() => commands.readJob(1, jobKeyOf(jobKey)))
        return record === undefined ? undefined : { job: decodeJob(record), held: held === 1 }
      },
      async write(holder, change) {
        const { jobKey, fence } = holder
        const isWritten = await ask(() => {
          if (change.kind === 'forget') {
            const keys = [jobKeyOf(jobKey), savedKey, ...paymentKeysOf(change.payment)]
            return commands.forgetJob(keys.length, ...keys, jobKey, fence)
          }
          const keys = [jobKeyOf(jobKey), savedKey, accounts.keyOf(jobKey)]
          return commands.keepJob(keys.length, ...keys, ...keepArguments(holder, change))
        })
        // Forgotten too: a replica that still has a response that was taken back would have it charged after a failover.
        if (isWritten === 1) await replicated()
        return isWritten === 1
      },
      unresolved: () => ask(() => commands.unresolvedJobs(1, savedKey)),
    },
    close,
  }
}

function claimArguments({ jobKey, fence, leaseMs, keepMs, job, payment }: JobClaim): Arguments {
  const paid = payment === undefined ? [] : [wholeMs(payment.keepMs)]
  return [jobKey, fence, wholeMs(leaseMs), wholeMs(keepMs), job.state, JSON.stringify(job), ...paid]
}

function keepArguments({ jobKey, fence }: Holder, change: Exclude<JobChange, { kind: 'forget' }>): Arguments {
  const leaseMs = change.kind === 'hold' ? wholeMs(change.leaseMs) : 0
  const seals = change.kind === 'leave' && change.sealed ? 1 : 0
  const { job, keepMs } = change
  const paid = job.state === 'settled' ? paidFor(job) : 0n
  return [jobKey, fence, leaseMs, wholeMs(keepMs), job.state, JSON.stringify(job), seals, String(paid)]
}

/** Redis accepts only whole milliseconds, and no expiry of zero. */
function wholeMs(durationMs: number): number {
  return Math.max(1, Math.ceil(durationMs))
}

/** JSON writes a lone surrogate as an escape, which UTF-8 would lose (D24: byte-identical). */
function decodeJob(record: string | undefined): Job {
  // Only this file writes these records, so their shape is known.
  const job = JSON.parse(record ?? 'null') as Job | null
  if (job?.version !== 1) {
    throw new Error('SERVICE_STORE holds a record that this release cannot read; did a later one write it?')
  }
  return job
}
