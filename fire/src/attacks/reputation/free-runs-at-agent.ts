import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { setTimeout as delay } from 'node:timers/promises'
import { startRunCounter, type RunCounter } from '../../../../e2e/stage/run-counter.ts'
import { transfersTo } from '../../../../e2e/stage/pay.ts'
import type { Score } from '../../battery.ts'
import type { Attack, AttackRun } from '../attack.ts'
import { countStatuses, playScene, send, type PaidScene } from '../stage/paid-scene.ts'

/** Longer than any job of the attack may take. */
const HANDLER_MS = 15_000
/** Of whole seconds: one to two of them are left when the job arrives. */
const SHORT_SECONDS = 2
const AT_ONCE = 4
/** As in docs/operating-an-agent.md: so many within a minute, then ten seconds of 503. */
const RUNS_BEFORE_WAIT = 20
const WAIT_MS = 10_000
const LEAST_SECONDS = '5'

/** Row 6, at an agent: a payer has handlers run by deadlines of its own that end before they do. */
export const freeRunsAtAgent: Attack = {
  name: 'handlers run for nothing at an agent',
  before:
    '28 jobs of one payer: 28 handler runs, nothing charged; 10 at an agent that asks for 5 s: 10 runs (small form)',
  run: async run =>
    await playScene(async scene => {
      const counter = await startRunCounter(scene.stage)
      const open = await scene.hire({ name: 'open', store: 'memory:' })
      const bounded = await scene.hire({
        name: 'bounded',
        store: 'memory:',
        environment: { SERVICE_LEAST_DEADLINE_SECONDS: LEAST_SECONDS },
      })
      return [
        ...(await runOut(scene, open, counter, run)),
        await refuseShort(scene, bounded, counter, run),
        ...(run.size === 'full' ? [await runOutAtOnce(scene, counter)] : []),
      ]
    }),
}

/** A few at a time, as an attacker would who has only so many prices in the wallet. */
async function runOut(
  scene: PaidScene,
  url: string,
  counter: RunCounter,
  { size, signal }: AttackRun,
): Promise<readonly Score[]> {
  const jobs = size === 'small' ? 28 : 60
  const answers: Awaited<ReturnType<typeof send>>[] = []
  const startedMs = performance.now()
  while (answers.length < jobs) {
    signal.throwIfAborted()
    answers.push(...(await sendShort(scene, url, counter, AT_ONCE)))
  }
  const waits = 1 + Math.floor((performance.now() - startedMs) / WAIT_MS)
  const runs = counter.count()
  // As many again after each wait, and those that were under way beside the last that counted.
  const most = waits * (RUNS_BEFORE_WAIT + AT_ONCE - 1)
  const other = await send(url, await scene.sign(url, { payerKey: TEST_KEYS.secondPayer.privateKey }))
  await delay(WAIT_MS + 500)
  const later = await send(url, await scene.sign(url))
  const transfers = await transfersTo(scene.stage, TEST_KEYS.agent.address)
  return [
    {
      test: `${jobs} jobs of one payer, each at most ${SHORT_SECONDS} s before its deadline`,
      reached: `${runs} handler runs, answers ${countStatuses(answers)}`,
      target: `at most ${RUNS_BEFORE_WAIT} runs and those under way beside the last, then 503 for ten seconds`,
      isMet: runs <= most && answers.some(({ status }) => status === 503),
    },
    {
      test: 'another payer meanwhile, and this one ten seconds later, with enough time',
      reached: `HTTP ${other.status} and ${later.status}, ${transfers} transfers`,
      target: 'both 200, charged',
      isMet: other.status === 200 && later.status === 200 && transfers === 2,
    },
  ]
}

/** The owner has said what the least is. */
async function refuseShort(
  scene: PaidScene,
  url: string,
  counter: RunCounter,
  { size }: AttackRun,
): Promise<Score> {
  const before = counter.count()
  const answers = await sendShort(scene, url, counter, size === 'small' ? 10 : 50)
  const runs = counter.count() - before
  return {
    test: `${answers.length} such jobs at an agent whose owner asks for ${LEAST_SECONDS} s`,
    reached: `${runs} handler runs, answers ${countStatuses(answers)}`,
    target: 'none, all 408',
    isMet: runs === 0 && answers.every(({ status }) => status === 408),
  }
}

/** What is not bounded by count: jobs that are all under way before the first one runs out; each holds a price. */
async function runOutAtOnce(scene: PaidScene, counter: RunCounter): Promise<Score> {
  const url = await scene.hire({ name: 'at-once', store: 'memory:' })
  const before = counter.count()
  const jobs = 100
  const answers = await sendShort(scene, url, counter, jobs)
  const again = await sendShort(scene, url, counter, jobs)
  const runs = counter.count() - before
  return {
    test: `${jobs} such jobs of one payer at the same moment, and ${jobs} more when they have ended`,
    reached: `${runs} handler runs, answers ${countStatuses(answers)}, then ${countStatuses(again)}`,
    target: 'the first at most, each with a price held; then 503',
    isMet: runs <= jobs && again.every(({ status }) => status === 503),
  }
}

async function sendShort(
  scene: PaidScene,
  url: string,
  counter: RunCounter,
  count: number,
): Promise<readonly Awaited<ReturnType<typeof send>>[]> {
  const terms = { waitMs: HANDLER_MS, deadlineSeconds: SHORT_SECONDS, tellUrl: counter.url }
  return await Promise.all(
    Array.from({ length: count }, async () => await send(url, await scene.sign(url, terms))),
  )
}
