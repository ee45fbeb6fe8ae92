import type { Score } from '../battery.ts'
import { isUnknownKind, kindsOfAnswer } from './oracle/kinds-of-answer.ts'
import { allBranches } from './run/branches.ts'
import type { FuzzOutcome } from './run/fuzz-on-cores.ts'
import type { TallyCounts } from './run/tally.ts'
import type { RawFuzzOutcome } from './sockets/raw-sockets.ts'
import { NOBODY, type AttackScore } from './sockets/slow-clients.ts'

/** HTTP-03, S11. */
const HEALTH_P99_MS = 250

/** In process: answers, and whether everything that can come up did. */
export function scoreAnswers(
  { tally, findings }: FuzzOutcome,
  asked: { readonly answers: number; readonly eachSeen: number },
): readonly Score[] {
  const { kinds, branches, missed, unknown } = measureCoverage(tally, asked.eachSeen)
  return [
    {
      test: 'made-up requests to made-up agents, in process',
      reached: `${count(tally.answers)} answers, ${findings.length} findings`,
      target: `${count(asked.answers)}, none outside the table, none unpaid`,
      isMet: tally.answers >= asked.answers && findings.length === 0,
    },
    {
      test: `${kinds} documented kinds of answer, ${branches} branches of the generator`,
      reached: `${kinds + branches - missed.length} came up ${asked.eachSeen} times or more, ${unknown.length} are unknown`,
      target: 'all, 0',
      isMet: missed.length + unknown.length === 0,
    },
  ]
}

/** What was never, or too seldom, and what is in no list: each a finding of the fuzz about itself. */
export function findGaps({ tally }: FuzzOutcome, eachSeen: number): readonly string[] {
  const { missed, unknown } = measureCoverage(tally, eachSeen)
  return [
    ...missed.map(name => `seldom or never seen: ${name}`),
    ...unknown.map(name => `an answer in words that no list has: ${name}`),
  ]
}

/** Over raw sockets. */
export function scoreSockets({ exchanges, answers, wrong }: RawFuzzOutcome, asked: number): Score {
  return {
    test: 'broken bytes over raw sockets',
    reached: `${count(exchanges)} connections, ${count(answers)} answers, ${wrong.length} findings`,
    target: `${count(asked)}, none outside the table`,
    isMet: exchanges >= asked && wrong.length === 0,
  }
}

/** Slow clients and floods: what is asked is that others are served meanwhile. */
export function scoreAttack({ attack, connections, healthP99Ms, healthAsked, cut }: AttackScore): Score {
  const cutOff = attack === NOBODY || cut === 0 ? '' : `, ${count(cut)} cut off`
  return {
    test:
      attack === NOBODY ? '/health, nobody attacking' : `/health beside ${count(connections)} × ${attack}`,
    reached: `p99 ${healthP99Ms} ms of ${count(healthAsked)}${cutOff}`,
    target: `${HEALTH_P99_MS} ms`,
    isMet: healthP99Ms < HEALTH_P99_MS,
  }
}

/** What a run came to of all that it should. */
interface Coverage {
  /** Kinds of answer that are documented. */
  readonly kinds: number
  /** Branches of the generator. */
  readonly branches: number
  /** Those of either that came up less often than asked, each with how often. */
  readonly missed: readonly string[]
  /** Answers in words that are in no list: documented now, or wrong. */
  readonly unknown: readonly string[]
}

/** Compares what was seen with what is documented and what can be generated; `least`: how often each must come up. */
function measureCoverage({ seen }: Pick<TallyCounts, 'seen'>, least: number): Coverage {
  const [kinds, branches] = [kindsOfAnswer(), allBranches()]
  const countOf = (name: string): number => seen[name] ?? 0
  return {
    kinds: kinds.length,
    branches: branches.length,
    missed: [...kinds, ...branches]
      .filter(name => countOf(name) < least)
      .map(name => `${name} (${countOf(name)} times)`),
    unknown: Object.keys(seen).filter(isUnknownKind),
  }
}

function count(number: number): string {
  return number.toLocaleString('en-US')
}
