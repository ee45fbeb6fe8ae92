import type { Flow, JobStep } from '@farebox/flows/document/flow'
import { readFlow } from '@farebox/flows/document/read-flow'
import { readPrice } from '@farebox/protocol/money/usdc'
import { formatProblem } from '@farebox/protocol/problems/problem'
import { readStorableJson } from '../read-json.ts'

/** The values stored with a flow's document. */
export interface KeptFlow {
  readonly name: string
  /** The document, as JSON. */
  readonly document: string
  /** The number of paid steps. */
  readonly jobs: number
  /** The sum of all pinned prices in atomic units, with lists at their declared maximum; decimal digits. */
  readonly priceAtomic: string
  /** The ordered capabilities, each once. */
  readonly orders: readonly KeptOrder[]
}

/** A capability that a flow orders. */
export interface KeptOrder {
  readonly agentId: number
  readonly capability: string
  /** The pinned hash; null when steps pin different ones. */
  readonly hash: string | null
  /** The lowest pinned price in atomic units; decimal digits. */
  readonly priceAtomic: string
}

/** A flow to be stored, or the reason why the value is not a flow. */
export type ReadKeptFlow =
  | { readonly ok: true; readonly kept: KeptFlow }
  | { readonly ok: false; readonly reason: string }

/** Reads an untrusted flow that is to be stored, whether or not it can be run. */
export function readKeptFlow(value: unknown): ReadKeptFlow {
  const read = readFlow(value)
  if (!read.ok) return { ok: false, reason: read.problems.slice(0, 5).map(formatProblem).join('; ') }
  const document = JSON.stringify(read.flow)
  const storable = readStorableJson(document)
  if (!storable.ok) return storable
  const jobs = jobsOf(read.flow)
  const price = jobs.reduce(
    (sum, { pinned, map }) => sum + priceOf(pinned.price) * BigInt(map?.most ?? 1),
    0n,
  )
  return {
    ok: true,
    kept: {
      name: read.flow.name,
      document,
      jobs: jobs.length,
      priceAtomic: price.toString(),
      orders: ordersOf(jobs),
    },
  }
}

function jobsOf(flow: Flow): readonly JobStep[] {
  return Object.values(flow.steps).filter(step => step.kind === 'job')
}

function ordersOf(jobs: readonly JobStep[]): readonly KeptOrder[] {
  const orders = new Map<string, KeptOrder>()
  for (const { agent_id: agentId, capability, pinned } of jobs) {
    const key = `${agentId} ${capability}`
    const price = priceOf(pinned.price)
    const other = orders.get(key)
    const isLower = other === undefined || price < BigInt(other.priceAtomic)
    orders.set(key, {
      agentId,
      capability,
      hash: other === undefined || other.hash === pinned.hash ? pinned.hash : null,
      priceAtomic: isLower ? price.toString() : other.priceAtomic,
    })
  }
  return [...orders.values()]
}

function priceOf(decimal: string): bigint {
  const price = readPrice(decimal)
  return price.ok ? price.atomic : 0n
}
