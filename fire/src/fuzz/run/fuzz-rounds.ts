import type { BatteryResult, BatteryRun } from '../../battery.ts'
import { createPaymentMaker } from '../generate/payment-maker.ts'
import { isUnknownKind, kindOfAnswer, kindsOfAnswer } from '../oracle/kinds-of-answer.ts'
import { runRound } from './run-round.ts'

/** The amount of work of a size: each kind of answer must occur `eachSeen` times. */
const AMOUNTS = {
  small: { answers: 3_000, eachSeen: 1 },
  full: { answers: 1_000_000, eachSeen: 10 },
} as const
/** The number of findings after which it ends. */
const MOST_FINDINGS = 5

/**
 * The fixed recipes and rounds of random ones, until the requested number of answers; and whether every documented kind
 * occurred.
 */
export async function fuzzRounds({ seed, size, signal, progress }: BatteryRun): Promise<BatteryResult> {
  const { answers: wanted, eachSeen } = AMOUNTS[size]
  const maker = await createPaymentMaker()
  const kinds = new Map<string, number>()
  const findings: string[] = []
  let answers = 0
  const isOver = (): boolean => answers >= wanted || findings.length >= MOST_FINDINGS
  for (let round = 0; !isOver(); round += 1) {
    signal.throwIfAborted()
    progress({ doing: 'made-up requests', done: answers, of: wanted })
    const roundSeed = round === 0 ? 'fixed' : (seed * 65_537 + round) | 0
    const finding = await runRound({
      seed: roundSeed,
      maker,
      onAnswer(answer) {
        const kind = kindOfAnswer(answer)
        kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
        answers += 1
      },
    })
    if (finding !== undefined) findings.push(finding.text)
  }
  const documented = kindsOfAnswer()
  const missed = documented.filter(kind => (kinds.get(kind) ?? 0) < eachSeen)
  const unknown = [...kinds.keys()].filter(isUnknownKind)
  return {
    scores: [
      {
        test: 'made-up requests to made-up agents, in process',
        reached: `${answers.toLocaleString('en-US')} answers, ${findings.length} findings`,
        target: `${wanted.toLocaleString('en-US')}, none outside the table, none unpaid`,
        isMet: answers >= wanted && findings.length === 0,
      },
      {
        test: `${documented.length} documented kinds of answer`,
        reached: `${documented.length - missed.length} came up ${eachSeen} times or more, ${unknown.length} are unknown`,
        target: 'all, 0',
        isMet: missed.length + unknown.length === 0,
      },
    ],
    findings: [
      ...findings,
      ...missed.map(kind => `seldom or never seen: ${kind}`),
      ...unknown.map(kind => `an answer in words that no list has: ${kind}`),
    ],
  }
}
