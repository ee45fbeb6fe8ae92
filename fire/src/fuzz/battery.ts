import { availableParallelism } from 'node:os'
import type { Battery, BatteryResult, BatteryRun, Score } from '../battery.ts'
import { fuzzOnCores } from './run/fuzz-on-cores.ts'
import { findGaps, scoreAnswers, scoreAttack, scoreSockets } from './score-fuzz.ts'
import { fuzzSockets } from './sockets/raw-sockets.ts'
import { ATTACKS, attackSlowly, FULL_ATTACKS, type SlowClientOptions } from './sockets/slow-clients.ts'
import { startFuzzAgentProcess } from './sockets/start-agent-process.ts'

/** How much of each a size is. */
interface Amounts {
  readonly answers: number
  /** Each kind of answer and each branch of the generator must come up so often. */
  readonly eachSeen: number
  readonly broken: number
  readonly attacks: SlowClientOptions | undefined
}

const SMALL: Amounts = { answers: 3_000, eachSeen: 1, broken: 500, attacks: undefined }
const FULL: Amounts = { answers: 1_000_000, eachSeen: 10, broken: 50_000, attacks: FULL_ATTACKS }

const PARTS: readonly string[] = ['requests', 'sockets']

/** Requests, declarations and handlers made up from a seed, against a second reading of the rules. */
export const fuzz: Battery = {
  name: 'fuzz',
  does: 'Made-up requests, agents and handlers, broken bytes and slow clients; each answer is foreseen by a second reading of the rules.',
  flags: {
    only: { value: '<part>', help: `one part: ${PARTS.join(' or ')}` },
    replay: {
      value: '<seed/path>',
      help: 'the request of a finding; without the path, its whole round',
    },
  },
  async run(run) {
    const amounts = run.size === 'full' ? FULL : SMALL
    const { only, replay } = run.flags ?? {}
    if (only !== undefined && !PARTS.includes(only))
      throw new TypeError(`--only takes ${PARTS.join(' or ')}, got ${only}`)
    if (replay !== undefined) return await runAgain(run, replay)
    const results: BatteryResult[] = []
    if (only !== 'sockets') results.push(await runInProcess(run, amounts))
    if (only !== 'requests') results.push(await runOverSockets(run, amounts))
    return {
      scores: results.flatMap(({ scores }) => scores),
      findings: results.flatMap(({ findings }) => findings),
    }
  },
}

async function runInProcess(
  { seed, signal, progress }: BatteryRun,
  amounts: Amounts,
): Promise<BatteryResult> {
  const { answers, eachSeen } = amounts
  const report = (done: number): void => progress({ doing: 'made-up requests', done, of: answers })
  report(0)
  const workers = availableParallelism()
  const outcome = await fuzzOnCores({ seed, answers, workers, signal, replay: undefined, onAnswers: report })
  return {
    scores: scoreAnswers(outcome, { answers, eachSeen }),
    findings: [...outcome.findings, ...findGaps(outcome, eachSeen)],
  }
}

/** One request, or one round, as a finding names it: `123/45:0:1`, `fixed/7`, `123`. */
async function runAgain({ signal }: BatteryRun, named: string): Promise<BatteryResult> {
  const [round = '', path] = named.split('/')
  const seed = round === 'fixed' ? round : Number(round)
  const { findings } = await fuzzOnCores({ seed: 0, answers: 0, workers: 1, signal, replay: { seed, path } })
  const reached = `${findings.length} findings`
  return {
    scores: [{ test: `replay of ${named}`, reached, target: '0', isMet: findings.length === 0 }],
    findings,
  }
}

async function runOverSockets(
  { seed, signal, progress }: BatteryRun,
  amounts: Amounts,
): Promise<BatteryResult> {
  const { broken, attacks } = amounts
  const agent = await startFuzzAgentProcess()
  try {
    const raw = await fuzzSockets(agent.port, {
      seed,
      broken,
      signal,
      onDone: done => progress({ doing: 'broken bytes', done, of: broken }),
    })
    const scores: Score[] = [scoreSockets(raw, broken)]
    if (attacks !== undefined) {
      const report = (): void => progress({ doing: 'slow clients', done: scores.length - 1, of: ATTACKS })
      report()
      await attackSlowly(agent.port, { ...attacks, signal }, score => {
        scores.push(scoreAttack(score))
        report()
      })
    }
    const died = agent.isAlive() ? [] : ['the agent died']
    return { scores, findings: [...raw.wrong, ...died] }
  } finally {
    await agent.stop()
  }
}
