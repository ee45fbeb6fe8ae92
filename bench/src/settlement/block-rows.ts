import type { Row } from '../report/bench.ts'
import { milliseconds, number, rate } from '../report/figures.ts'
import { limitRow } from '../report/limit-row.ts'
import type { Measured } from './measure-settlement.ts'

/** One facilitator with this many keys: a burst, and 100 payments a second. */
export interface KeyBurst {
  readonly keys: number
  readonly burst: Measured
  readonly steady: Measured
}

/** Our own limits. */
const BURST_PER_SECOND = 400
const P50_BLOCKS = 0.65
const CPU_IN_BURST_MS = 1.5
const GAS = 0.7

/** The lines of the table; the first burst is with one key. */
export function blockRows(bursts: readonly KeyBurst[], peer: Measured): readonly Row[] {
  const [one, ...more] = bursts
  if (one === undefined) throw new Error('nothing was measured with one key')
  const { burst, steady } = one
  const what = `burst of ${count(burst)}, 2 s blocks`
  const figure = burst.settledPerSecond
  return [
    limitRow({
      what: `${what}, one key`,
      value: figure,
      limit: { atLeast: BURST_PER_SECOND },
      format: rate,
      notes: [describe(burst), `payments of its blocks: ${burst.blocks.join(', ')}`],
    }),
    {
      what,
      short: 'settled, 2 s blocks',
      ours: rate(figure),
      peer: { name: `x402 facilitator, ${count(peer)} at once`, figure: rate(peer.settledPerSecond) },
      ratio: figure / peer.settledPerSecond,
      notes: [`x402: ${describe(peer)}`],
    },
    ...more.map((several): Row => ({
      what: `${what}, ${several.keys} keys`,
      ours: rate(several.burst.settledPerSecond),
      peer: { name: 'one key', figure: rate(figure) },
      ratio: several.burst.settledPerSecond / figure,
      notes: [describe(several.burst), `100 a second: ${describe(several.steady)}`],
    })),
    limitRow({
      what: '/settle at 100 a second, 2 s blocks, p50',
      value: steady.p50Blocks,
      limit: { atMost: P50_BLOCKS },
      format: inBlocks,
      notes: [describe(steady)],
    }),
    limitRow({
      what: 'CPU of a payment in a burst',
      value: burst.facilitatorMs,
      limit: { atMost: CPU_IN_BURST_MS },
      format: milliseconds,
      notes: ['/verify and /settle'],
    }),
    {
      what: 'gas of a payment in a burst',
      ours: `${number(burst.gasEach)} gas`,
      peer: { name: 'x402 facilitator, one by one', figure: `${number(peer.gasEach)} gas` },
      ratio: burst.gasEach / peer.gasEach,
      goal: { atMost: GAS },
    },
  ]
}

function describe({ p50Blocks, p99Blocks, ...measured }: Measured): string {
  const database = measured.databaseMs > 0 ? `, PostgreSQL ${milliseconds(measured.databaseMs)}` : ''
  return (
    `/settle p50 ${inBlocks(p50Blocks)}, p99 ${inBlocks(p99Blocks)}; ` +
    `${number(measured.paymentsATransaction)} payments a transaction, ${number(measured.gasEach)} gas each; ` +
    `CPU ${milliseconds(measured.facilitatorMs)}${database}`
  )
}

function inBlocks(blocks: number): string {
  return `${blocks.toFixed(2)} blocks`
}

function count(measured: Measured): string {
  return measured.count.toLocaleString('en-US')
}
