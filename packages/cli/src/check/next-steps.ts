import { formatUsdc } from '@farebox/protocol/money/usdc'
import { areaOf, countResults, type Findings } from '@farebox/conformance/agent'
import { paintFor } from '../terminal/paint.ts'
import type { World } from '../world.ts'
import type { CheckedAgent } from './checked-agent.ts'
import { asTyped } from '../terminal/as-typed.ts'

/** More areas are not named in one command. */
const MAX_AREAS = 4

/** What to do after a run, as lines; empty where there is nothing. */
export function nextSteps(world: World, agent: CheckedAgent, findings: Findings): string {
  const { dim } = paintFor(world.out)
  const steps = [...again(agent, findings), ...pay(agent, findings)]
  if (steps.length === 0) return ''
  return `\n${steps.map(([what, command]) => `  ${dim(what.padEnd(16))}${asTyped(world, command)}\n`).join('')}`
}

type Step = readonly [what: string, command: string]

function again({ url }: CheckedAgent, { results }: Findings): readonly Step[] {
  const failed = results.filter(({ outcome }) => outcome === 'failed')
  const areas = [...new Set(failed.map(({ check }) => areaOf(check)))]
  if (areas.length === 0) return []
  const only = areas.length > MAX_AREAS ? '' : ` --only ${areas.join(',')}`
  return [['once fixed', `farebox check ${url}${only}`]]
}

function pay({ url, terms }: CheckedAgent, { results }: Findings): readonly Step[] {
  if (terms === undefined || countResults(results).unpaid === 0) return []
  const price = formatUsdc(BigInt(terms.requirement.amount))
  return [['the paid path', `farebox check ${url} --paid --max-price ${price}`]]
}
