import type { OwnerDashboard } from '@farebox/platform-api/me/owner-dashboard'

/** The earnings of one capability, day by day. */
export interface EarnedBy {
  /** A stable key for rendering. */
  readonly key: string
  readonly name: string
  /** The name of the agent; undefined when there is only one agent. */
  readonly agent: string | undefined
  /** Atomic units of USDC, one value for each day. */
  readonly days: readonly bigint[]
  readonly total: bigint
}

/** Earnings of whole days, stacked by capability. */
export interface Earnings {
  /** Unix seconds at UTC midnight, the oldest day first. */
  readonly days: readonly number[]
  /** The highest earning capability first; the last part, `others`, combines those that do not fit. */
  readonly parts: readonly EarnedBy[]
  readonly totals: readonly bigint[]
  /** The number of jobs of each day, whatever their outcome. */
  readonly jobs: readonly number[]
}

type Point = OwnerDashboard['series'][number]

const DAY = 86_400
/** The number of patterns that can be distinguished without colour; further capabilities are combined into one part. */
const MOST_PARTS = 4

/** Stacks a series for its plot, with every day from `from` to `to`, including days without jobs. */
export function stackEarnings(
  series: readonly Point[],
  range: { readonly from: number; readonly to: number },
  agents: ReadonlyMap<number, string>,
): Earnings {
  const first = Math.floor(range.from / DAY)
  const count = Math.max(1, Math.floor(range.to / DAY) - first + 1)
  const days = Array.from({ length: count }, (_, index) => (first + index) * DAY)
  const indexOf = (point: Point): number => Math.floor(point.day / DAY) - first
  const shown = series.filter(point => indexOf(point) >= 0 && indexOf(point) < count)
  const jobs = days.map(() => 0)
  for (const point of shown) jobs[indexOf(point)] = (jobs[indexOf(point)] ?? 0) + point.jobs
  const all = group(shown, agents, count, indexOf)
  const parts =
    all.length <= MOST_PARTS ? all : [...all.slice(0, MOST_PARTS - 1), joinRest(all.slice(MOST_PARTS - 1))]
  const totals = days.map((_, index) => parts.reduce((sum, part) => sum + (part.days[index] ?? 0n), 0n))
  return { days, parts, totals, jobs }
}

function group(
  series: readonly Point[],
  agents: ReadonlyMap<number, string>,
  count: number,
  indexOf: (point: Point) => number,
): readonly EarnedBy[] {
  const sums = new Map<string, { readonly agentId: number; readonly name: string; readonly days: bigint[] }>()
  for (const point of series) {
    const key = `${point.agent_id} ${point.capability}`
    const found = sums.get(key) ?? {
      agentId: point.agent_id,
      name: point.capability,
      days: Array.from({ length: count }, () => 0n),
    }
    sums.set(key, found)
    const index = indexOf(point)
    found.days[index] = (found.days[index] ?? 0n) + BigInt(point.earned_atomic)
  }
  const isOfSeveral = new Set([...sums.values()].map(({ agentId }) => agentId)).size > 1
  return [...sums]
    .map(([key, { agentId, name, days }]) => ({
      key,
      name,
      agent: isOfSeveral ? (agents.get(agentId) ?? `No. ${agentId}`) : undefined,
      days,
      total: days.reduce((sum, day) => sum + day, 0n),
    }))
    .filter(({ total }) => total > 0n)
    .toSorted((one, other) =>
      other.total > one.total ? 1 : other.total < one.total ? -1 : one.key < other.key ? -1 : 1,
    )
}

function joinRest(rest: readonly EarnedBy[]): EarnedBy {
  const days = (rest[0]?.days ?? []).map((_, index) =>
    rest.reduce((sum, part) => sum + (part.days[index] ?? 0n), 0n),
  )
  return {
    key: 'others',
    name: `${rest.length} others`,
    agent: undefined,
    days,
    total: rest.reduce((sum, { total }) => sum + total, 0n),
  }
}
