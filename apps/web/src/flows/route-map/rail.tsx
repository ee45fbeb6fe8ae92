import type { ReactNode } from 'react'
import type { RoutePiece, RouteRow } from './lay-lanes.ts'

/** The look of a stop: round for a paid step, square for a free one. */
export interface StopMark {
  readonly shape: 'round' | 'square'
  /** `ahead`: not reached; `out`: left out of the run. */
  readonly state: 'passed' | 'here' | 'failed' | 'ahead' | 'out'
}

/** Pixels between lanes, and from the edge to the first lane. */
const LANE = 20
const EDGE = 12
/** The vertical position of a stop in its row. */
const STOP = 12
/** How far down a row a branch has reached its lane, and how far above the end of the row before it leaves it. */
const BEND = 60
const BEND_BACK = 27

/** The part of the map next to one stop: the lines that begin, pass and end there, and the stop itself. */
export function Rail(props: {
  readonly row: RouteRow
  readonly lanes: number
  readonly mark: StopMark
  /** Whether the run has passed along a line, that is, has completed the stop at which the line begins. */
  readonly isTravelled: (piece: RoutePiece) => boolean
}): ReactNode {
  const { row, lanes, mark, isTravelled } = props
  return (
    <svg className="rail" width={railWidth(lanes)} aria-hidden="true">
      {row.pieces
        // Lines that the run has passed are drawn above the others.
        .toSorted((one, other) => Number(isTravelled(one)) - Number(isTravelled(other)))
        .map(piece => (
          <Line
            key={`${piece.from} ${piece.to}`}
            piece={piece}
            stopLane={row.lane}
            isTravelled={isTravelled(piece)}
          />
        ))}
      <Stop x={xOf(row.lane)} mark={mark} />
    </svg>
  )
}

function railWidth(lanes: number): number {
  return 2 * EDGE + (lanes - 1) * LANE
}

function xOf(lane: number): number {
  return EDGE + lane * LANE
}

function Line(props: {
  readonly piece: RoutePiece
  readonly stopLane: number
  readonly isTravelled: boolean
}): ReactNode {
  const { piece, stopLane, isTravelled } = props
  const [x, stop] = [xOf(piece.lane), xOf(stopLane)]
  const className = isTravelled ? 'way travelled' : 'way'
  if (piece.part === 'ends')
    return x === stop ? (
      <path className={className} d={`M${x} -1V${STOP}`} />
    ) : (
      <path
        className={className}
        d={`M${x} ${-BEND_BACK}C${x} ${-BEND_BACK + 24} ${stop} ${STOP - 24} ${stop} ${STOP}`}
      />
    )
  const isAside = piece.part === 'begins' && x !== stop
  const from = piece.part === 'passes' ? -1 : isAside ? BEND : STOP
  return (
    <>
      {isAside && (
        <path
          className={className}
          d={`M${stop} ${STOP}C${stop} ${STOP + 28} ${x} ${BEND - 28} ${x} ${BEND}`}
        />
      )}
      {piece.bendsNext ? (
        // A nested SVG is clipped where the next row's bend begins, whatever the height of this row.
        <svg y={-BEND_BACK} height="100%" overflow="visible">
          <line className={className} x1={x} x2={x} y1={from + BEND_BACK} y2="100%" />
        </svg>
      ) : (
        <line className={className} x1={x} x2={x} y1={from} y2="100%" />
      )}
    </>
  )
}

function Stop({ x, mark }: { readonly x: number; readonly mark: StopMark }): ReactNode {
  const { shape, state } = mark
  if (state === 'failed')
    return (
      <g className="stop-mark failed">
        <circle cx={x} cy={STOP} r="10" />
        <path d={`M${x - 3.5} ${STOP - 3.5}l7 7m0-7l-7 7`} />
      </g>
    )
  return (
    <g className={`stop-mark ${state}`}>
      {state === 'here' && <circle className="halo" cx={x} cy={STOP} r="13" />}
      {shape === 'round' ? (
        <circle cx={x} cy={STOP} r="7" />
      ) : (
        <rect x={x - 6.5} y={STOP - 6.5} width="13" height="13" />
      )}
    </g>
  )
}
