import { createHash, randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { fund } from '@farebox/local/chain/faucet'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { callAnvil, callAnvilForText } from '@farebox/local/src/chain/anvil-rpc'
import {
  encode,
  encodeRevoke,
  encodeSpendOf,
  OWNER,
  permissionOf,
  permissionStage,
  SPENDER,
  STRANGER,
} from '@farebox/local/src/testing/permission-stage'
import { readStorm, type SpendOnChain } from '@farebox/local/src/testing/permission-storm'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { toHex } from '@farebox/payments/internal/crypto/bytes'
import { until } from '@farebox/protocol/src/test-setup/until'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startGreedyReplicas, type GreedyReplicas } from './test-setup/greedy-replicas.ts'
import { GREEDY_WAYS, type GreedyPlan } from './test-setup/greedy-work.ts'
import { judgeAnswer, type StormAnswer } from './test-setup/judge-answers.ts'
import { seeded, type Seeded } from './test-setup/seeded.ts'

// A hostile agent: its handlers spend around the limit and the cap, in three replicas with one key and one Redis.
// Replicas are killed at random, the key also spends outside of the runtime, and the owner changes limit and cap and
// revokes. The events on the chain are compared with the answers.

/** The weekly run uses a thousand: SPEND_STORM=1000. */
const ATTEMPTS = Number(process.env['SPEND_STORM'] ?? 100)
const SEED = Number(process.env['SPEND_STORM_SEED'] ?? 1)
const REPLICAS = 3
const AT_ONCE = 16
const REDIS = 'redis://127.0.0.1:6379/0'

const hasRedis = await new Promise<boolean>(resolve => {
  const socket = connect({ host: '127.0.0.1', port: 6379 })
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  socket.once('connect', () => socket.destroy())
})
if (!hasRedis)
  console.log('spend-storm: no Redis at 127.0.0.1:6379, so replicas with one store are not tested here')

let chain: LocalChain
let replicas: GreedyReplicas
const over = new AbortController()
const random = seeded(SEED)
const crypto = await loadEvmCrypto()

beforeAll(async () => {
  chain = await startChain({ blockTimeSeconds: 1 })
  await fund(chain, OWNER, { usdcAtomic: 1_000_000_000_000n })
  const stage = permissionStage(chain)
  await stage.approve(OWNER, 500_000_000_000n)
  await stage.set(permissionOf({ limit: 1_000_000n, cap: 20_000_000n }))
  if (!hasRedis) return
  const store = `${REDIS}?prefix=spend-storm-${createHash('sha256').update(randomUUID()).digest('hex').slice(0, 12)}:`
  replicas = await startGreedyReplicas({
    count: REPLICAS,
    nodeUrl: chain.rpcUrl,
    store,
    random: seeded(SEED + 1),
  })
})
afterAll(async () => {
  over.abort()
  await replicas?.stop()
  await chain.stop()
})

test.skipIf(!hasRedis)(
  'PERM-02 PERM-03 no spend of a hostile agent breaks the terms of its block, and every answer is true',
  async () => {
    const answers: StormAnswer[] = []
    const storm = [spendPastTheRuntime(), ownerChangesTerms(), killReplicas(answers)]
    await runJobs(answers)
    over.abort()
    await Promise.all(storm)
    // Waits until the last transactions are in a block, too.
    await until(async () => {
      const counts = ['latest', 'pending'].map(block =>
        callAnvilForText(chain.rpcUrl, 'eth_getTransactionCount', [SPENDER, block]),
      )
      return (await Promise.all(counts)).every((count, _, [latest]) => count === latest)
    })

    const { spends, left, reverted } = await readStorm(chain)
    expect(left).toBe(spends.reduce((sum, { amount }) => sum + amount, 0n))
    const wrong = answers.map(answer => judgeAnswer(answer, spendsOf(answer.jobId, spends)))
    expect(wrong.filter(one => one !== undefined)).toEqual([])
    // Checks that the storm really caused each kind of event.
    const done = answers.filter(({ ended }) => ended.status === 200).length
    const counts = { jobs: answers.length, done, spends: spends.length, reverted, kills: replicas.kills() }
    console.log(`spend-storm, seed ${SEED}:`, JSON.stringify(counts))
    expect(answers.length).toBeGreaterThanOrEqual(ATTEMPTS)
    expect(
      Math.min(done, answers.length - done, counts.spends, counts.reverted, counts.kills),
    ).toBeGreaterThan(0)
  },
)

/** Runs several jobs concurrently until all are answered; some are repeated afterwards. */
async function runJobs(answers: StormAnswer[]): Promise<void> {
  let left = ATTEMPTS
  const caller = async (own: Seeded): Promise<void> => {
    while (left > 0) {
      left -= 1
      const jobId = randomUUID()
      const plan = drawPlan(own)
      const times = own.next() < 0.2 ? 2 : 1
      for (let time = 0; time < times; time += 1) {
        const ended = await replicas.run({
          jobId,
          amount: JSON.stringify(plan),
          deadlineSeconds: own.between(12, 40),
        })
        answers.push({
          jobId,
          plan,
          ended,
          block: BigInt(await callAnvilForText(chain.rpcUrl, 'eth_blockNumber', [])),
        })
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => caller(seeded(SEED * 1_000 + index))))
}

function drawPlan(own: Seeded): GreedyPlan {
  const amounts = Array.from({ length: own.pick([1, 1, 2, 3]) }, () =>
    own.pick(['0.9', '1', '1.000001', '0.25', '2.1']),
  )
  return { way: own.pick([...GREEDY_WAYS]), amounts }
}

/** Spends with the agent's key without waiting, also with refs that were used before and with refs of other jobs. */
async function spendPastTheRuntime(): Promise<void> {
  for (let sent = 0; sent < ATTEMPTS || !over.signal.aborted; sent += 1) {
    if (sent >= ATTEMPTS * 5) return
    const amount = random.pick([1_000_000n, 999_999n, 1_000_001n, 400_000n, 20_000_000n])
    const data = encodeSpendOf(permissionOf(), {
      amount,
      to: STRANGER,
      ref: BigInt(random.between(1, ATTEMPTS)),
    })
    // The gas limit is given, so that the node does not refuse transactions that would be reverted.
    const call = { from: SPENDER, to: SPEND_PERMISSIONS_ADDRESS, data, gas: '0x30d40' }
    await callAnvil(chain.rpcUrl, 'eth_sendTransaction', [call]).catch(() => undefined)
    await sleep(random.between(5, 60))
  }
}

/** Raises, lowers and revokes the permission; on the chain each change is before some spends and after others. */
async function ownerChangesTerms(): Promise<void> {
  let cap = 20_000_000n
  while (!over.signal.aborted) {
    await sleep(random.between(300, 2_500))
    const isRevoked = random.next() < 0.2
    cap += BigInt(random.pick([40_000_000, 20_000_000, 10_000_000, -4_000_000]))
    const limit = BigInt(random.pick([1_000_000, 1_000_000, 1_000_000, 500_000, 2_000_000]))
    const data = isRevoked ? encodeRevoke(permissionOf()) : encode('set', [permissionOf({ limit, cap })])
    const call = { from: OWNER, to: SPEND_PERMISSIONS_ADDRESS, data, gas: '0x7a120' }
    await callAnvil(chain.rpcUrl, 'eth_sendTransaction', [call])
  }
}

/**
 * Kills a replica after each quarter of the jobs, so that the number of kills does not depend on the speed of the
 * machine.
 */
async function killReplicas(answers: readonly StormAnswer[]): Promise<void> {
  for (let kills = 1; !over.signal.aborted; kills += 1) {
    await until(() => over.signal.aborted || answers.length >= (kills * ATTEMPTS) / 4)
    if (!over.signal.aborted) await replicas.killOne()
  }
}

/** The spends with a ref of the job: its hash, with the number of the call as the last byte. */
function spendsOf(jobId: string, spends: readonly SpendOnChain[]): readonly SpendOnChain[] {
  const own = BigInt(toHex(crypto.keccak256(new TextEncoder().encode(jobId)))) >> 8n
  return spends.filter(({ ref }) => ref >> 8n === own)
}
