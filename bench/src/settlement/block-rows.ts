import type { RatesPanel, Row } from '../report/bench.ts'
import { milliseconds, number, rate } from '../report/figures.ts'
import type { Measured } from './measure-settlement.ts'

/** One facilitator with so many keys on blocks of two seconds. */
export interface KeyFigures {
  readonly keys: number
  readonly burst: Measured
  readonly at100: Measured
}

/** Bursts that fill a long block with all the transactions that the keys may have open. */
export interface SlotFigures {
  readonly blockSeconds: number
  readonly one: Measured
  readonly two: Measured
}

/** All that `blocks` has measured. */
export interface BlockFigures {
  /** With one key first. */
  readonly fast: readonly KeyFigures[]
  /** One key, 20 payments a second on blocks of two seconds. */
  readonly at20: Measured
  readonly slowBlockSeconds: number
  /** One key, 20 payments a second. */
  readonly slowSteady: Measured
  /** Undefined where two keys were not asked for. */
  readonly slots: SlotFigures | undefined
  readonly peer: { readonly fast: Measured; readonly slow: Measured }
}

/** What we hold ourselves to. */
const BURST_PER_SECOND = 400
const P50_BLOCKS = 0.65
const CPU_AT_20_MS = 4
const CPU_IN_BURST_MS = 1.5
const SECOND_KEY = 1.8
const GAS = 0.7
/** The counted blocks begin and end a moment before or after the arrivals. */
const KEEPS_UP = 0.98

/** The lines of the table. */
export function blockRows(figures: BlockFigures): readonly Row[] {
  const [one, ...more] = figures.fast
  if (one === undefined) throw new Error('nothing was measured with one key')
  return [
    ...burstRows(one, more, figures.peer.fast),
    ...latencyRows(one, figures),
    ...cpuRows(one, figures),
    ...slotRows(figures.slots),
    {
      what: 'gas of a payment in a burst',
      ours: `${number(one.burst.gasEach)} gas`,
      peer: { name: 'x402 facilitator, one by one', figure: `${number(figures.peer.fast.gasEach)} gas` },
      ratio: one.burst.gasEach / figures.peer.fast.gasEach,
      goal: { atMost: GAS },
    },
  ]
}

function burstRows(one: KeyFigures, more: readonly KeyFigures[], peer: Measured): readonly Row[] {
  const what = `burst of ${count(one.burst)}, 2 s blocks`
  const figure = one.burst.settledPerSecond
  return [
    {
      what: `${what}, one key`,
      ours: rate(figure),
      peer: { name: 'at least', figure: rate(BURST_PER_SECOND) },
      ratio: figure / BURST_PER_SECOND,
      goal: { atLeast: 1 },
      notes: [describe(one.burst), `payments of its blocks: ${one.burst.blocks.join(', ')}`],
      panel: ratesPanel(one, more, peer),
    },
    {
      what,
      ours: rate(figure),
      peer: { name: `x402 facilitator, ${count(peer)} at once`, figure: rate(peer.settledPerSecond) },
      ratio: figure / peer.settledPerSecond,
      goal: undefined,
      notes: [`x402: ${describe(peer)}`],
    },
    ...more.map(({ keys, burst, at100 }): Row => ({
      what: `${what}, ${keys} keys`,
      ours: rate(burst.settledPerSecond),
      peer: { name: 'one key', figure: rate(figure) },
      ratio: burst.settledPerSecond / figure,
      goal: undefined,
      notes: [describe(burst), `100 a second: ${describe(at100)}`],
    })),
  ]
}

function ratesPanel(one: KeyFigures, more: readonly KeyFigures[], peer: Measured): RatesPanel {
  const bar = ({ keys, burst }: KeyFigures): RatesPanel['bars'][number] => ({
    name: `Farebox, ${keys === 1 ? 'one key' : `${keys} keys`}`,
    isOurs: true,
    perSecond: burst.settledPerSecond,
  })
  return {
    kind: 'rates',
    title: 'Payments settled a second, a block every 2 s',
    about:
      `${count(one.burst)} at once, ${count(peer)} for the x402 facilitator, which settles one by one · ` +
      `mark: our goal, ${rate(BURST_PER_SECOND)}`,
    goalPerSecond: BURST_PER_SECOND,
    bars: [
      ...[one, ...more].map(bar),
      { name: 'x402 facilitator', isOurs: false, perSecond: peer.settledPerSecond },
    ],
  }
}

function latencyRows(
  one: KeyFigures,
  { at20, slowSteady, slowBlockSeconds, peer }: BlockFigures,
): readonly Row[] {
  const keptUp = rateOfWholeBlocks(slowSteady, slowBlockSeconds)
  const row = (perSecond: number, measured: Measured, goal: Row['goal']): Row => ({
    what: `/settle at ${perSecond} a second, 2 s blocks, p50`,
    ours: inBlocks(measured.p50Blocks),
    peer: { name: 'at most', figure: inBlocks(P50_BLOCKS) },
    ratio: measured.p50Blocks / P50_BLOCKS,
    goal,
    notes: [describe(measured)],
  })
  return [
    row(100, one.at100, { atMost: 1 }),
    row(20, at20, undefined),
    {
      what: `20 a second, ${slowBlockSeconds} s blocks, settled`,
      ours: rate(keptUp),
      peer: { name: 'what arrives', figure: rate(20) },
      ratio: keptUp / 20,
      goal: { atLeast: KEEPS_UP },
      notes: [
        describe(slowSteady),
        `payments of its blocks: ${slowSteady.blocks.join(', ')}`,
        `x402, ${count(peer.slow)} at once: ${rate(peer.slow.settledPerSecond)}; ${describe(peer.slow)}`,
      ],
    },
  ]
}

function cpuRows({ burst }: KeyFigures, { at20 }: BlockFigures): readonly Row[] {
  const row = (load: string, { facilitatorMs, databaseMs }: Measured, atMostMs: number): Row => ({
    what: `CPU of a payment, ${load}`,
    ours: milliseconds(facilitatorMs),
    peer: { name: 'at most', figure: milliseconds(atMostMs) },
    ratio: facilitatorMs / atMostMs,
    goal: { atMost: 1 },
    notes: [`/verify and /settle${databaseMs > 0 ? `; PostgreSQL besides ${milliseconds(databaseMs)}` : ''}`],
  })
  return [row('20 a second', at20, CPU_AT_20_MS), row('in a burst', burst, CPU_IN_BURST_MS)]
}

function slotRows(slots: SlotFigures | undefined): readonly Row[] {
  if (slots === undefined) return []
  const { blockSeconds, one, two } = slots
  const [fullest, fullestOfOne] = [Math.max(...two.blocks), Math.max(...one.blocks)]
  const describeBlocks = (keys: string, measured: Measured): string =>
    `${keys}: a burst of ${count(measured)}, its blocks: ${measured.blocks.join(', ')}`
  return [
    {
      what: `payments of a full ${blockSeconds} s block, two keys`,
      ours: fullest.toLocaleString('en-US'),
      peer: { name: 'one key', figure: fullestOfOne.toLocaleString('en-US') },
      ratio: fullest / fullestOfOne,
      goal: { atLeast: SECOND_KEY },
      notes: [describeBlocks('one key', one), describeBlocks('two keys', two)],
    },
  ]
}

/** Of the blocks from the third to the last but one: before and after them payments did not arrive all the time. */
function rateOfWholeBlocks({ blocks }: Measured, blockSeconds: number): number {
  const whole = blocks.slice(2, -1)
  return whole.reduce((sum, payments) => sum + payments, 0) / (whole.length * blockSeconds)
}

function describe(measured: Measured): string {
  const { facilitatorMs, databaseMs } = measured
  const database = databaseMs > 0 ? `, PostgreSQL ${milliseconds(databaseMs)}` : ''
  return (
    `/settle p50 ${inBlocks(measured.p50Blocks)}, p99 ${inBlocks(measured.p99Blocks)}; ` +
    `${number(measured.paymentsATransaction)} payments a transaction, ${number(measured.gasEach)} gas each; ` +
    `CPU ${milliseconds(facilitatorMs)}${database}`
  )
}

function inBlocks(blocks: number): string {
  return `${blocks.toFixed(2)} blocks`
}

function count(measured: Measured): string {
  return measured.count.toLocaleString('en-US')
}
