import type { FastifyInstance } from 'fastify'
import { fund } from '@farebox/local/chain/faucet'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { launch } from '@farebox/local/src/testing/launch'
import type { Flow } from '@farebox/flows/document/flow'
import { paymentPlan } from '@farebox/flows/check/payment-plan'
import { buildGraph } from '@farebox/flows/graph/graph'
import { randomFrom, type Random } from '@farebox/flows/src/test-setup/random-flow'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import type { RunAnswer, RunPayment } from '@farebox/platform-api/flows/runs'
import { formatUsdc, readUsdc } from '@farebox/protocol/money/usdc'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createApp } from '../app/create-app.ts'
import { jobsRoutes } from '../jobs/jobs-routes.ts'
import { answersAsDocumented } from '../test-setup/answers-as-documented.ts'
import { startChainAgent, type ChainAgent } from '../test-setup/network/chain-agent.ts'
import { insertAgent } from '../test-setup/database/insert-agent.ts'
import {
  behaveByChance,
  declareWork,
  isStuck,
  problemsOf,
  randomWork,
} from '../test-setup/runs/random-runs.ts'
import {
  runsThrough,
  signStep,
  type HandledRun,
  type RunsByHand,
  type StepAgent,
} from '../test-setup/runs/run-flows.ts'
import { stagePlatform, TEST_PAYMENT_KEY, type Stage } from '../test-setup/stage-platform.ts'
import { runsRoutes } from './runs-routes.ts'

/** FLOW_RUNS=100 plays a hundred runs, which takes some minutes. */
const RUNS = Number(process.env['FLOW_RUNS'] ?? 12)
const SEED = Number(process.env['FLOW_SEED'] ?? 1)
const AT_ONCE = 25
const MOST_RUNS = 4 * Math.max(RUNS, AT_ONCE)
/** The number of processes killed during each of the concurrent runs. */
const KILLS = 2
/** The maximum number of rounds in which a payer reads a run and acts on it. */
const LOOKS = 600

const AGENTS = [
  { name: 'Honest', wallet: `0x${'a1'.repeat(20)}` },
  { name: 'Liar', wallet: `0x${'b2'.repeat(20)}` },
  { name: 'Dearer', wallet: `0x${'c3'.repeat(20)}` },
] as const

let chain: LocalChain
let stage: Stage
let app: FastifyInstance
let runs: RunsByHand
const served: ChainAgent[] = []
const agents: StepAgent[] = []
const random = randomFrom(SEED)

beforeAll(async () => {
  chain = await startChain()
  await fund(chain, TEST_KEYS.payer.address, { usdcAtomic: 100_000_000n })
  // Enough for one or two steps.
  await fund(chain, TEST_KEYS.stranger.address, { usdcAtomic: 12_000n })
  stage = await stagePlatform({ realTime: true, rpc: createJsonRpc(chain.rpcUrl) })
  for (const { name, wallet } of AGENTS) {
    const agent = await startChainAgent(chain)
    agent.declaration = declareWork(name, wallet)
    agent.behave = behaveByChance(random, name === 'Liar')
    // One in eight requested prices differs from the declared one.
    if (name === 'Dearer')
      agent.asks = {
        get amountAtomic() {
          return random(8) === 0 ? 9_999n : undefined
        },
      }
    served.push(agent)
    const { declaration } = agent
    const { agentId } = await insertAgent(stage.database, { endpoint: agent.url, wallet, declaration })
    agents.push({ agentId, url: agent.url, declaration })
  }
  const routes = [...jobsRoutes(stage.parts), ...runsRoutes(stage.parts)]
  app = createApp(stage.parts, routes)
  await app.ready()
  runs = runsThrough(answersAsDocumented(app, routes))
})
afterAll(async () => {
  await app.close()
  for (const agent of served) await agent.close()
  await stage.close()
  await chain.stop()
})

const alive = new Set<() => Promise<void>>()
afterEach(async () => {
  for (const killOne of alive) await killOne()
})

/** Starts a process with its own holder id that drives jobs and runs, and returns a function that kills it. */
async function startWorker(): Promise<() => Promise<void>> {
  const options = { connectionString: stage.connectionString, connections: 6 }
  const { settings, network } = stage.parts
  const given = { ...settings, canaryBudgetAtomic: undefined }
  const worker = await launch(`
    import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
    import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
    import { findNetwork } from '@farebox/payments/networks'
    import { createChecker } from '@farebox/platform/checking/checker'
    import { createDueWork } from '@farebox/platform/src/work/due-work'
    import { createOutbound } from '@farebox/platform/outbound/outbound'
    import { createPaymentSeal } from '@farebox/platform/sealing/payment-seal'
    import { openStorage } from '@farebox/platform/storage/open-storage'
    import { startJobs } from '@farebox/platform/src/jobs/drive/start-jobs'
    import { startRuns } from '@farebox/platform/src/runs/drive/start-runs'
    import { systemClock } from '@farebox/protocol/time/clock'
    import { silentLog } from '@farebox/server/log'
    const parts = {
      database: await openStorage(${JSON.stringify(options)}),
      outbound: createOutbound({ localMode: true }),
      rpc: createJsonRpc(${JSON.stringify(chain.rpcUrl)}),
      network: findNetwork(${JSON.stringify(network.id)}),
      crypto: await loadEvmCrypto(),
      seal: createPaymentSeal(${JSON.stringify(TEST_PAYMENT_KEY)}),
      checker: createChecker({ clock: systemClock }),
      due: createDueWork(systemClock),
      clock: systemClock, log: silentLog, settings: ${JSON.stringify(given)},
    }
    startJobs(parts, { pollMs: 50 })
    startRuns(parts, { pollMs: 50 })
    console.log('{}')`)
  const killOne = async (): Promise<void> => {
    if (!alive.delete(killOne)) return
    process.kill(worker.pid, 'SIGKILL')
    await worker.exited
  }
  alive.add(killOne)
  return killOne
}

/** A run and its payer. */
interface PlayedRun {
  readonly handled: HandledRun
  readonly flow: Flow
  readonly payerKey: string
  readonly tries: Map<string, number>
  readonly signed: Map<string, RunPayment[]>
  isCancelled: boolean
}

async function sign(run: Pick<PlayedRun, 'flow' | 'payerKey' | 'signed'>, key: string): Promise<RunPayment> {
  const step = run.flow.steps[key.split('#')[0] ?? '']
  const agent = step?.kind === 'job' ? agents.find(({ agentId }) => agentId === step.agent_id) : undefined
  const declared = step?.kind === 'job' ? agent?.declaration.capabilities[step.capability] : undefined
  if (agent === undefined || declared === undefined || step?.kind !== 'job')
    throw new Error(`${key} is no job`)
  const declaration = { ...agent.declaration, capabilities: { [step.capability]: declared } }
  const payment = await signStep(stage.parts, { ...agent, declaration }, key, { payerKey: run.payerKey })
  run.signed.set(key, [...(run.signed.get(key) ?? []), payment])
  return payment
}

async function begin(): Promise<PlayedRun> {
  const flow = await randomWork(random, agents)
  const payerKey = random(8) === 0 ? TEST_KEYS.stranger.privateKey : TEST_KEYS.payer.privateKey
  const signed = new Map<string, RunPayment[]>()
  const plan = paymentPlan(buildGraph(flow)).filter(({ sign: when }) => when === 'now')
  const isPoor = payerKey === TEST_KEYS.stranger.privateKey
  const upfront = random(2) === 0 && !isPoor ? plan.flatMap(({ keys }) => keys) : []
  const payments: RunPayment[] = []
  for (const key of upfront) payments.push(await sign({ flow, payerKey, signed }, key))
  const input = {
    text: `text ${random(100)}`,
    list: Array.from({ length: random(4) }, (_, at) => `item ${at}`),
  }
  const handled = await runs.start(flow, { input, max_total: '1', payments })
  return { handled, flow, payerKey, tries: new Map(), signed, isCancelled: false }
}

/** Performs what a payer who pays for nothing twice can do; resolves to false when nothing remains to be done. */
async function act(played: PlayedRun, chance: Random): Promise<boolean> {
  const { handled, tries } = played
  const run = await handled.read()
  // After a cancellation, jobs that were in progress still end.
  if (['completed', 'failed', 'cancelled'].includes(run.status))
    return run.waiting.some(waiting => waiting.for === 'agent')
  if (chance(400) === 0) {
    played.isCancelled = true
    await handled.tell('cancel')
    return true
  }
  let isOpen = false
  for (const waiting of run.waiting) {
    if (isStuck(waiting, tries)) continue
    isOpen = true
    if (waiting.for === 'person')
      await handled.tell('answer', { step: waiting.step, approved: chance(3) > 0 })
    if (waiting.for === 'retry') {
      tries.set(waiting.key, (tries.get(waiting.key) ?? 0) + 1)
      await handled.tell('retry', { key: waiting.key })
    }
    if (waiting.for === 'payment') {
      tries.set(waiting.key, (tries.get(waiting.key) ?? 0) + 1)
      await handled.pay(await sign(played, waiting.key))
    }
  }
  return isOpen
}

async function play(played: PlayedRun): Promise<RunAnswer> {
  for (let look = 0; look < LOOKS && (await act(played, random)); look += 1)
    await new Promise(resolve => setTimeout(resolve, 1_000))
  return await played.handled.read()
}

function agentOf({ flow }: PlayedRun, key: string): string | undefined {
  const step = flow.steps[key.split('#')[0] ?? '']
  return step?.kind === 'job' ? step.pinned.agent_name : undefined
}

async function balanceOf(wallet: string): Promise<bigint> {
  const { address } = stage.parts.network.asset
  const data = `0x70a08231${wallet.slice(2).padStart(64, '0')}`
  return BigInt(String(await stage.parts.rpc.call('eth_call', [{ to: address, data }, 'latest'])))
}

function atomic(amount: string): bigint {
  const read = readUsdc(amount)
  if (!read.ok) throw new Error(read.reason)
  return read.atomic
}

test(
  'runs whose workers are killed repeatedly pay once for each completed step; any other payment goes to a dishonest agent',
  async () => {
    const ended: { readonly played: PlayedRun; readonly run: RunAnswer }[] = []
    // The test needs runs that complete. How many are cancelled or fail depends on chance and on the machine's speed.
    const isEnough = (): boolean => {
      const completed = ended.filter(({ run }) => run.status === 'completed').length
      return ended.length >= RUNS && completed > RUNS / 4
    }
    for (let begun = 0; begun < MOST_RUNS && !isEnough(); begun += AT_ONCE) {
      const workers = [await startWorker(), await startWorker()]
      const batch: PlayedRun[] = []
      for (let index = 0; index < Math.min(AT_ONCE, RUNS); index += 1) batch.push(await begin())
      const playing = Promise.all(batch.map(async played => ({ played, run: await play(played) })))
      for (let kill = 0; kill < KILLS; kill += 1) {
        await new Promise(resolve => setTimeout(resolve, 300 + random(900)))
        // A killed process does not return under the same id.
        for (const killOne of workers.splice(0)) await killOne()
        workers.push(await startWorker(), await startWorker())
      }
      ended.push(...(await playing))
      // By now a charge whose response was lost has been detected.
      for (const killOne of workers) await killOne()
    }
    const problems = ended.flatMap(({ run }) => problemsOf(run).map(problem => `${run.run_id}: ${problem}`))
    expect(problems).toEqual([])
    await expectMoneyIsRight(ended)
    expect(isEnough()).toBe(true)
  },
  // Limits a test that hangs; a hundred runs are played in batches.
  (MOST_RUNS / AT_ONCE) * 600_000,
)

async function expectMoneyIsRight(
  ended: readonly { readonly played: PlayedRun; readonly run: RunAnswer }[],
): Promise<void> {
  let delivered = 0n
  let undelivered = 0n
  for (const { played, run } of ended) {
    let paid = 0n
    for (const { jobs } of run.steps)
      for (const { key, payment, state, error_type: type, because } of jobs) {
        if (payment?.state !== 'paid') continue
        paid += atomic(payment.amount)
        if (state === 'done') delivered += atomic(payment.amount)
        else {
          undelivered += atomic(payment.amount)
          // The charge is reported as such, and only one price was taken.
          const isShown = type !== null || because?.kind === 'charged'
          expect([key, agentOf(played, key), isShown]).toEqual([key, 'Liar', true])
        }
      }
    expect([run.run_id, run.paid]).toEqual([run.run_id, formatUsdc(paid)])
    expect(atomic(run.paid)).toBeLessThanOrEqual(1_000_000n)
  }
  const earned = (await Promise.all(AGENTS.map(({ wallet }) => balanceOf(wallet)))).reduce(
    (sum, one) => sum + one,
    0n,
  )
  expect(earned).toBe(delivered + undelivered)
  const lies = await balanceOf(AGENTS[1].wallet)
  expect(undelivered).toBeLessThanOrEqual(lies)
  // At most one payment of each step was ever sent: each is valid long enough not to expire during the test.
  const sentHeaders = new Set(served.flatMap(({ seen }) => seen.map(({ header }) => header)))
  for (const { played } of ended)
    for (const [key, payments] of played.signed) {
      const left = payments.filter(({ payment }) => sentHeaders.has(payment))
      expect([key, left.length <= 1]).toEqual([key, true])
    }
}
