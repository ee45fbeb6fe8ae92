import { many } from '../../terminal/text.ts'
import type { Flow, JobStep } from '@farebox/flows/document/flow'
import { type Graph, outputSchemaOf } from '@farebox/flows/graph/graph'
import { type Declaration, WALLET_PLACEHOLDER } from '@farebox/protocol/declaration/declaration'
import {
  MAX_AGENT_NAME_CHARACTERS,
  MAX_DESCRIPTION_CHARACTERS,
  MAX_MAX_DEADLINE_SECONDS,
} from '@farebox/protocol/limits'
import { formatUsdc, readPrice } from '@farebox/protocol/money/usdc'
import { CommandError, usageError } from '../../command-error.ts'
import { CAPABILITY } from './write-handlers.ts'

/** The runtime's limit on the hires of one job. */
const MOST_HIRES = 32
/** The share of its price that an agent may pay to others. */
const MOST_PERCENT = 90n
/** Time for requesting prices, settling, and the steps between the jobs. */
const OWN_SECONDS = 15

/**
 * Builds the declaration of a flow as an agent: one capability for one price.
 *
 * @param price decimal USDC; by default a quarter more than its jobs cost
 */
export function flowDeclaration(graph: Graph, price: string | undefined): Declaration {
  const { flow } = graph
  const costs = jobsOf(flow).reduce((sum, { step, times }) => sum + priceOf(step) * BigInt(times), 0n)
  const hires = jobsOf(flow).reduce((sum, { times }) => sum + times, 0)
  if (hires > MOST_HIRES)
    throw new CommandError(
      `the flow pays for up to ${hires} jobs, and a job hires ${MOST_HIRES} times at most`,
      'make a smaller flow of it, or lower what its steps do for each item',
    )
  const output = outputSchemaOf(graph)
  const untyped = flow.outputs.filter(name => !Object.hasOwn(output, name))
  if (untyped.length > 0)
    throw new CommandError(
      `the type of ${untyped.join(', ')} is not known`,
      'say in the step that makes it what it gives: an agent declares its outputs',
    )
  return {
    service_version: '1.0',
    name: flow.name.slice(0, MAX_AGENT_NAME_CHARACTERS),
    description: (flow.description || `Does what the flow ${flow.name} does.`).slice(
      0,
      MAX_DESCRIPTION_CHARACTERS,
    ),
    wallet: WALLET_PLACEHOLDER,
    max_deadline_seconds: Math.min(MAX_MAX_DEADLINE_SECONDS, Math.ceil(longestPath(graph) + OWN_SECONDS)),
    capabilities: {
      [CAPABILITY]: {
        description: `${flow.name}: ${many(hires, 'job')} of other agents`.slice(0, 200),
        pricing: { model: 'per_job', amount: ownPrice(costs, price), currency: 'USDC' },
        input_schema: flow.inputs,
        output_schema: output,
      },
    },
  }
}

function ownPrice(costs: bigint, price: string | undefined): string {
  if (price === undefined) return formatUsdc((costs * 5n + 3n) / 4n || 1_000n)
  const read = readPrice(price)
  if (!read.ok) throw usageError(`--price ${read.reason}`, 'like --price 0.05')
  const least = (costs * 100n + MOST_PERCENT - 1n) / MOST_PERCENT
  if (read.atomic >= least) return formatUsdc(read.atomic)
  throw new CommandError(
    `its jobs cost ${formatUsdc(costs)} USDC, and an agent pays ${MOST_PERCENT} % of its price at most`,
    `ask for ${formatUsdc(least)} or more`,
  )
}

function jobsOf(flow: Flow): readonly { readonly step: JobStep; readonly times: number }[] {
  return Object.values(flow.steps).flatMap(step =>
    step.kind === 'job' ? [{ step, times: step.map?.most ?? 1 }] : [],
  )
}

function priceOf({ pinned }: JobStep): bigint {
  const read = readPrice(pinned.price)
  // A flow is validated before this function is called.
  if (!read.ok) throw new RangeError('a step that was not checked')
  return read.atomic
}

/**
 * The seconds that consecutive jobs may take, plus a third, because a quarter of the time of each hire is kept in reserve.
 */
function longestPath(graph: Graph): number {
  const ends = new Map<string, number>()
  for (const id of graph.order) {
    const step = graph.flow.steps[id]
    const before = Math.max(0, ...graph.sourcesOf(id).map(source => ends.get(source) ?? 0))
    ends.set(id, before + (step?.kind === 'job' ? (step.pinned.max_deadline_seconds * 4) / 3 : 0))
  }
  return Math.max(0, ...ends.values())
}
