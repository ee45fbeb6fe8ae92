import { readResources } from '../rounds/resources.ts'
import type { Bench, Row } from '../report/bench.ts'
import { milliseconds, number, rate } from '../report/figures.ts'
import { measure, type Measured } from '../settlement/measure-settlement.ts'
import { settleOutstanding } from '../settlement/loads.ts'
import { startSettlementScene } from '../settlement/settlement-scene.ts'
import { openDatabase } from '../stage/open-database.ts'

/**
 * Tens of thousands of payments over several relayer keys on blocks of two seconds, with a constant number under way: what
 * the machine can keep up, and whether ledger and chain agree on every one of them in the end.
 */
export const settlementSoak: Bench = {
  name: 'settlement-soak',
  isLong: true,
  async run(stage) {
    const count = stage.payments ?? (stage.quick ? 2_000 : 60_000)
    const keys = stage.keys?.at(-1) ?? KEYS
    const outstanding = Math.min(OUTSTANDING, Math.ceil(count / 2))
    const database = await openDatabase(stage)
    const scene = await startSettlementScene(stage, database, { blockSeconds: BLOCK_SECONDS, keys })
    const [facilitator = 0] = scene.groups.facilitator.pids
    const before = readResources(facilitator).ownBytes
    const limitSeconds = LEAST_LIMIT_SECONDS + count / SLOWEST_PER_SECOND
    const measured = await measure(stage, scene, { count, limitSeconds }, load =>
      settleOutstanding(load, outstanding, done => {
        if (done % 500 === 0)
          stage.tell(`${number(done)} of ${number(count)} payments are settled, keys: ${keys}`)
      }),
    )
    return soakRows(measured, { keys, outstanding }, { before, after: readResources(facilitator).ownBytes })
  },
}

const KEYS = 4
const BLOCK_SECONDS = 2
const OUTSTANDING = 4_000
/** A run that is slower than this is given up. */
const SLOWEST_PER_SECOND = 50
const LEAST_LIMIT_SECONDS = 60
const CPU_MS = 1.5
const WANTED_PER_SECOND = 1_000

function soakRows(
  measured: Measured,
  { keys, outstanding }: { readonly keys: number; readonly outstanding: number },
  bytes: { readonly before: number; readonly after: number },
): readonly Row[] {
  const { count, settledPerSecond, facilitatorMs, databaseMs, blocks } = measured
  const what = `${count.toLocaleString('en-US')} payments, 2 s blocks, ${keys} ${keys === 1 ? 'key' : 'keys'}`
  const [begin, end] = [rateOf(fifth(blocks, 1)), rateOf(fifth(blocks, 4))]
  const cores = (ms: number): string => `${((ms * WANTED_PER_SECOND) / 1_000).toFixed(1)} cores`
  return [
    {
      what,
      ours: rate(end),
      peer: { name: 'itself in the second fifth', figure: rate(begin) },
      ratio: end / begin,
      goal: undefined,
      notes: [
        `${rate(settledPerSecond)} in all; ${number(measured.paymentsATransaction)} payments a transaction, ` +
          `${number(measured.gasEach)} gas each`,
        `ledger and chain agree on all ${count.toLocaleString('en-US')}: count, sum, each nonce once`,
        `memory of the facilitator: ${megabytes(bytes.before)} before, ${megabytes(bytes.after)} after`,
      ],
    },
    {
      what: `CPU of a payment, ${outstanding.toLocaleString('en-US')} under way`,
      ours: milliseconds(facilitatorMs),
      peer: { name: 'at most', figure: milliseconds(CPU_MS) },
      ratio: facilitatorMs / CPU_MS,
      goal: { atMost: 1 },
      notes: [
        databaseMs > 0
          ? `PostgreSQL besides ${milliseconds(databaseMs)}`
          : 'PostgreSQL is somebody else’s: its CPU time is not read',
        `${rate(WANTED_PER_SECOND)} would need ${cores(facilitatorMs)} of facilitator` +
          (databaseMs > 0 ? ` and ${cores(databaseMs)} of PostgreSQL` : ''),
      ],
    },
  ]
}

/** Of the blocks in their order; 0 is the first fifth. */
function fifth(blocks: readonly number[], index: number): readonly number[] {
  const at = (part: number): number => Math.floor((blocks.length * part) / 5)
  return blocks.slice(at(index), Math.max(at(index) + 1, at(index + 1)))
}

function rateOf(blocks: readonly number[]): number {
  return blocks.reduce((sum, payments) => sum + payments, 0) / (blocks.length * BLOCK_SECONDS)
}

function megabytes(bytes: number): string {
  return `${number(bytes / 1_048_576)} MB`
}
