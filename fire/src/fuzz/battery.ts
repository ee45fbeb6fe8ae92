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
  /** Each kind of answer and each branch must come up so often; undefined where too few are sent to ask for that. */
  readonly eachSeen: number | undefined
  readonly broken: number
  readonly attacks: SlowClientOptions | undefined
}

const SMALL: Amounts = { answers: 5_000, eachSeen: undefined, broken: 500, attacks: undefined }
const FULL: Amounts = { answers: 1_000_000, eachSeen: 10, broken: 50_000, attacks: FULL_ATTACKS }

/** Requests, declarations and handlers made up from a seed, against a second reading of the rules. */
export const fuzz: Battery = {
  name: 'fuzz',
  does: 'Made-up requests, agents and handlers, broken bytes and slow clients; each answer is foreseen by a second reading of the rules.',
  async run(run) {
    const amounts = run.size === 'full' ? FULL : SMALL
    const inProcess = await runInProcess(run, amounts)
    const overSockets = await runOverSockets(run, amounts)
    return {
      scores: [...inProcess.scores, ...overSockets.scores],
      findings: [...inProcess.findings, ...overSockets.findings],
    }
  },
}

async function runInProcess(
  { seed, signal, progress }: BatteryRun,
  amounts: Amounts,
): Promise<BatteryResult> {
  const { answers, eachSeen } = amounts
  const tell = (done: number): void => progress({ doing: 'made-up requests', done, of: answers })
  tell(0)
  const outcome = await fuzzOnCores({
    seed,
    answers,
    workers: availableParallelism(),
    signal,
    onNews: sofar => tell(sofar.answers),
  })
  const gaps = eachSeen === undefined ? [] : findGaps(outcome, eachSeen)
  return { scores: scoreAnswers(outcome, { answers, eachSeen }), findings: [...outcome.findings, ...gaps] }
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
      const tell = (): void => progress({ doing: 'slow clients', done: scores.length - 1, of: ATTACKS })
      tell()
      await attackSlowly(agent.port, { ...attacks, signal }, score => {
        scores.push(scoreAttack(score))
        tell()
      })
    }
    const died = agent.isAlive() ? [] : ['the agent died']
    return { scores, findings: [...raw.wrong, ...died] }
  } finally {
    await agent.stop()
  }
}
