import type { LocalAgentProcess } from '@farebox/local/internal/start-agent-process'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { FIRST_JOBS } from './first-jobs.ts'

/** A capability that moves tokens of the job's payer; undefined where an agent has none. */
export function spendingCapability({ capabilities }: Declaration): string | undefined {
  return Object.keys(capabilities).find(name => (capabilities[name]?.permissions ?? []).length > 0)
}

/**
 * How an agent is permitted to spend, and then called: lines to be pasted into another terminal; none where it does not spend.
 *
 * @param here what the commands need before them to find the economy's folder; mostly empty
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
