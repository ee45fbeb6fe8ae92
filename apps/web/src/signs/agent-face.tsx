import type { ReactNode } from 'react'

const ROWS = 5
const COLUMNS = 5
const HALF = 3
const TONES = ['string', 'number', 'boolean', 'array'] as const

/**
 * An agent's face: a pattern derived from its owner's address and its number, the same wherever the agent is shown. It
 * distinguishes agents with similar names, but proves nothing.
 */
export function AgentFace({
  owner,
  agentId,
}: {
  readonly owner: string
  readonly agentId: number
}): ReactNode {
  const bits = hash(`${owner.toLowerCase()} ${agentId}`)
  const tone = TONES[(bits >>> 16) % TONES.length] ?? TONES[0]
  const cells = Array.from({ length: ROWS * COLUMNS }, (_, at) => ({
    x: at % COLUMNS,
    y: Math.floor(at / COLUMNS),
  }))
  // The pattern is symmetric, and its central cell is always set, so that it is never empty.
  const isSet = ({ x, y }: { readonly x: number; readonly y: number }): boolean =>
    (x === 2 && y === 2) || ((bits >>> (Math.min(x, COLUMNS - 1 - x) + y * HALF)) & 1) === 1
  return (
    <svg className={`face ${tone}`} viewBox="-0.5 -0.5 6 6" aria-hidden="true">
      {cells.filter(isSet).map(({ x, y }) => (
        <rect key={`${x} ${y}`} x={x} y={y} width="1.02" height="1.02" />
      ))}
    </svg>
  )
}

/** FNV-1a with 32 bits and a final mixing step, so that similar inputs give different patterns. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  value = Math.imul(value ^ (value >>> 15), 0x85ebca6b)
  return (value ^ (value >>> 13)) >>> 0
}
