import type { Random } from '../simulator/seeded-random.ts'
import type { ManagedKind } from './stage/managed-process.ts'

/** How the kills are shared out where everybody is a victim: there are more agents than databases. */
const SHARES: { readonly [kind in ManagedKind]: number } = {
  agent: 0.5,
  facilitator: 0.24,
  postgres: 0.13,
  redis: 0.13,
}

/** Whom to kill, in order: each kind by its share and at least once, shuffled. */
export function scheduleKills(
  kills: number,
  victims: readonly ManagedKind[],
  random: Random,
): readonly ManagedKind[] {
  const [most, ...others] = victims
  if (most === undefined) return []
  const whole = victims.reduce((sum, kind) => sum + SHARES[kind], 0)
  const rest = others.flatMap(kind =>
    Array.from({ length: Math.max(1, Math.round((SHARES[kind] / whole) * kills)) }, () => kind),
  )
  const first = Array.from({ length: Math.max(0, kills - rest.length) }, () => most)
  return shuffle([...rest, ...first].slice(0, kills), random)
}

function shuffle(kinds: readonly ManagedKind[], random: Random): readonly ManagedKind[] {
  return kinds
    .map(kind => ({ kind, place: random.next() }))
    .sort((one, other) => one.place - other.place)
    .map(({ kind }) => kind)
}
