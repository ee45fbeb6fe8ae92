import { availableParallelism } from 'node:os'
import type { Battery, BatteryResult, BatteryRun } from '../battery.ts'
import { isUnknownKind, kindsOfAnswer } from './oracle/kinds-of-answer.ts'
import { fuzzOnCores } from './run/fuzz-on-cores.ts'
import { fuzzSockets } from './sockets/raw-sockets.ts'
import { startServedAgent } from './sockets/start-served-agent.ts'

/** How much of each a size is: each kind of answer must come up `eachSeen` times. */
const AMOUNTS = {
  small: { answers: 3_000, eachSeen: 1, broken: 500 },
  full: { answers: 1_000_000, eachSeen: 10, broken: 50_000 },
} as const

const PARTS: readonly string[] = ['requests', 'sockets']

/** Requests, declarations and handlers made up from a seed, against a second reading of the rules. */
export const fuzz: Battery = {
  name: 'fuzz',
  does: 'Made-up requests, agents and handlers, and broken bytes; each answer is foreseen by a second reading of the rules.',
  flags: {
    only: { value: '<part>', help: `one part: ${PARTS.join(' or ')}` },
    replay: {
      value: '<seed/path>',
      help: 'the request of a finding; without the path, its whole round',
    },
  },
  async run(run) {
    const { only, replay } = run.flags ?? {}
    if (only !== undefined && !PARTS.includes(only))
      throw new TypeError(`--only takes ${PARTS.join(' or ')}, got ${only}`)
    if (replay !== undefined) return await runAgain(run, replay)
    const results: BatteryResult[] = []
    if (only !== 'sockets') results.push(await runInProcess(run))
    if (only !== 'requests') results.push(await runOverSockets(run))
    return {
      scores: results.flatMap(({ scores }) => scores),
      findings: results.flatMap(({ findings }) => findings),
    }
  },
}

/** Answers, and whether everything that is documented came up. */
async function runInProcess({ seed, size, signal, progress }: BatteryRun): Promise<BatteryResult> {
  const { answers, eachSeen } = AMOUNTS[size]
  const report = (done: number): void => progress({ doing: 'made-up requests', done, of: answers })
  report(0)
  const workers = availableParallelism()
  const orders = { seed, answers, workers, signal, replay: undefined, onAnswers: report }
  const outcome = await fuzzOnCores(orders)
  const documented = kindsOfAnswer()
  const missed = documented.filter(kind => (outcome.kinds.get(kind) ?? 0) < eachSeen)
  const unknown = [...outcome.kinds.keys()].filter(isUnknownKind)
  return {
    scores: [
      {
        test: 'made-up requests to made-up agents, in process',
        reached: `${count(outcome.answers)} answers, ${outcome.findings.length} findings`,
        target: `${count(answers)}, none outside the table, none unpaid`,
        isMet: outcome.answers >= answers && outcome.findings.length === 0,
      },
      {
        test: `${documented.length} documented kinds of answer`,
        reached: `${documented.length - missed.length} came up ${eachSeen} times or more, ${unknown.length} are unknown`,
        target: 'all, 0',
        isMet: missed.length + unknown.length === 0,
      },
    ],
    findings: [
      ...outcome.findings,
      ...missed.map(kind => `seldom or never seen: ${kind}`),
      ...unknown.map(kind => `an answer in words that no list has: ${kind}`),
    ],
  }
}

/** One request, or one round, as a finding names it: `123/45:0:1`, `fixed/7`, `123`. */
async function runAgain({ signal }: BatteryRun, named: string): Promise<BatteryResult> {
  const [round = '', path] = named.split('/')
  const again: number | 'fixed' = round === 'fixed' ? round : Number(round)
  const replay = { seed: again, path }
  const { findings } = await fuzzOnCores({ seed: 0, answers: 0, workers: 1, signal, replay })
  const reached = `${findings.length} findings`
  const isMet = findings.length === 0
  return { scores: [{ test: `replay of ${named}`, reached, target: '0', isMet }], findings }
}

async function runOverSockets({ seed, size, signal, progress }: BatteryRun): Promise<BatteryResult> {
  const { broken } = AMOUNTS[size]
  const agent = await startServedAgent()
  try {
    const onDone = (done: number): void => progress({ doing: 'broken bytes', done, of: broken })
    const { exchanges, answers, wrong } = await fuzzSockets(agent.port, seed, broken, signal, onDone)
    return {
      scores: [
        {
          test: 'broken bytes over raw sockets',
          reached: `${count(exchanges)} connections, ${count(answers)} answers, ${wrong.length} findings`,
          target: `${count(broken)}, none outside the table`,
          isMet: exchanges >= broken && wrong.length === 0,
        },
      ],
      findings: agent.isAlive() ? wrong : [...wrong, 'the agent died'],
    }
  } finally {
    await agent.stop()
  }
}

function count(number: number): string {
  return number.toLocaleString('en-US')
}
