import type { LocalAgentProcess } from '@farebox/local/internal/start-agent-process'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { FIRST_JOBS } from './first-jobs.ts'

/** The first capability of an agent that moves tokens of the job's payer; undefined when the agent has none. */
export function spendingCapability({ capabilities }: Declaration): string | undefined {
  return Object.keys(capabilities).find(name => (capabilities[name]?.permissions ?? []).length > 0)
}

/**
 * Commands that permit an agent to spend and then call it, to be pasted into another terminal. Empty when the agent does
 * not spend.
 *
 * @param here prefix that the commands need to find the economy's folder; empty for the default folder
 */
export function permitSteps({ declaration, url }: LocalAgentProcess, here: string): readonly string[] {
  const capability = spendingCapability(declaration)
  if (capability === undefined) return []
  const input = FIRST_JOBS[declaration.name]?.input ?? {}
  const flags = Object.entries(input).map(([name, value]) => `--${name} ${String(value)}`)
  return [
    `  "${declaration.name}" moves tokens of yours, as far as you permit it`,
    '',
    `    ${here}npx farebox limits allow ${url} ${capability} --limit 1 --cap 5`,
    `    ${here}npx farebox call ${url} ${capability} ${flags.join(' ')}`,
    `    ${here}npx farebox limits revoke ${url} ${capability}`,
    '',
  ]
}
