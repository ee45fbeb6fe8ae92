import { useId, type ReactNode } from 'react'
import { fromAtomic } from '../../format/amount.ts'
import { formatDay } from '../../format/time.ts'
import { chooseScale, type Scale } from './choose-scale.ts'
import type { Earnings } from './stack-earnings.ts'

const HEIGHT = 190
/** The vertical position of zero; the names of the days are below it. */
const BASE = 158
const TOP = 14
/** The most days that can all be labelled; a phone labels half as many. */
const MOST_NAMED = 14

/** Earnings by day as stacked bars: solid first, then hatched, then grey. A phone labels fewer of the days. */
export function EarningsPlot({ earnings }: { readonly earnings: Earnings }): ReactNode {
  const scale = chooseScale(highestOf(earnings.totals))
  return (
    <>
      <Plot earnings={earnings} scale={scale} isNarrow={false} />
      <Plot earnings={earnings} scale={scale} isNarrow />
    </>
  )
}

/** The swatch of a part in the plot's legend; parts differ by their patterns. */
export function PlotSwatch({ index }: { readonly index: number }): ReactNode {
  const id = useId()
  return (
    <svg className="plot-swatch" viewBox="0 0 10 10" aria-hidden="true">
      <Hatch id={id} />
      <rect
        className={`part-${index}`}
        x="0.5"
        y="0.5"
        width="9"
        height="9"
        fill={index === 1 ? `url(#${id})` : undefined}
      />
    </svg>
  )
}

function Plot(props: {
  readonly earnings: Earnings
  readonly scale: Scale
  readonly isNarrow: boolean
}): ReactNode {
  const { earnings, scale, isNarrow } = props
  const id = useId()
  const { days, totals } = earnings
  const highest = highestOf(totals)
  const lowest = totals.reduce((least, total) => (total < least ? total : least), highest)
  const label = `Earnings per day for ${days.length} days, from ${fromAtomic(lowest)} to ${fromAtomic(highest)} USDC. The table below lists the figures.`
  return (
    <div className={isNarrow ? 'plot narrow' : 'plot wide'} role="img" aria-label={label}>
      <svg className="plot-scale" width={widthOf(scale)} height={HEIGHT} aria-hidden="true">
        {scale.lines.map(({ value, words }) => (
          <text key={words} y={yOf(value, scale) + 4}>
            {words}
          </text>
        ))}
      </svg>
      <svg className="plot-bars" height={HEIGHT} aria-hidden="true">
        <Hatch id={id} />
        {scale.lines.map(({ value, words }) => (
          <line
            key={words}
            className={value === 0n ? 'axis' : 'grid'}
            x1="0"
            x2="100%"
            y1={yOf(value, scale)}
            y2={yOf(value, scale)}
          />
        ))}
        <Bars
          earnings={earnings}
          scale={scale}
          hatch={`url(#${id})`}
          bar={isNarrow && days.length > MOST_NAMED ? BAR_OF_MANY : BAR}
        />
        {days.map(
          (day, index) =>
            isNamed(index, days.length, isNarrow) && (
              <text key={day} x={percent((index + 0.5) / days.length)} y={HEIGHT - 10} textAnchor="middle">
                {isNarrow ? new Date(day * 1_000).getUTCDate() : formatDay(day, 'utc')}
              </text>
            ),
        )}
      </svg>
    </div>
  )
}

/** The width needed for the longest label of the scale. */
function widthOf({ lines }: Scale): number {
  return Math.max(...lines.map(({ words }) => words.length)) * 7 + 4
}

/** The share of a day's width that its bar takes. */
const BAR = 0.5
const BAR_OF_MANY = 0.66

function Bars(props: {
  readonly earnings: Earnings
  readonly scale: Scale
  readonly hatch: string
  readonly bar: number
}): ReactNode {
  const { earnings, scale, hatch, bar } = props
  const { days, parts } = earnings
  return days.map((day, index) => {
    let below = 0n
    return (
      <g key={day}>
        {parts.map((part, number) => {
          const earned = part.days[index] ?? 0n
          if (earned === 0n) return null
          const bottom = yOf(below, scale)
          below += earned
          const top = yOf(below, scale)
          return (
            <rect
              key={part.key}
              className={`part-${number}`}
              x={percent((index + (1 - bar) / 2) / days.length)}
              width={percent(bar / days.length)}
              y={top}
              height={Math.max(bottom - top - 1, 1)}
              fill={number === 1 ? hatch : undefined}
            />
          )
        })}
      </g>
    )
  })
}

function Hatch({ id }: { readonly id: string }): ReactNode {
  return (
    <defs>
      <pattern id={id} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect className="hatch-ground" width="5" height="5" />
        <rect className="hatch-line" width="2.2" height="5" />
      </pattern>
    </defs>
  )
}

/** Converts a value to a coordinate. Only coordinates use floating point, never the displayed amounts. */
function yOf(value: bigint, { top }: Scale): number {
  const share = Number((value * 10_000n) / top) / 10_000
  return Math.round((BASE - share * (BASE - TOP)) * 100) / 100
}

function highestOf(totals: readonly bigint[]): bigint {
  return totals.reduce((most, total) => (total > most ? total : most), 0n)
}

function percent(share: number): string {
  return `${(share * 100).toFixed(3)}%`
}

/** Whether a day is labelled: always the last day, and before it as many as fit. */
function isNamed(index: number, count: number, isNarrow: boolean): boolean {
  const each = count > MOST_NAMED ? 3 : isNarrow && count > MOST_NAMED / 2 ? 2 : 1
  return (count - 1 - index) % each === 0
}
