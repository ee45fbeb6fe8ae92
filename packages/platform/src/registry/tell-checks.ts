import type { RegistrationCheck } from '@farebox/platform-api/registration/registration-check'
import type { RegistrationStatus } from '@farebox/platform-api/registry'
import { failedCheck } from './inspect/explain-check.ts'

/**
 * Returns the checks made before the stake, updated to the current status: once the agent is listed, its endpoint is no
 * longer unclaimed.
 */
export function tellChecks(
  checks: readonly RegistrationCheck[],
  status: RegistrationStatus,
): RegistrationCheck[] {
  if (status.state !== 'listed') return [...checks]
  const taken = failedCheck('unclaimed', {
    got: `agent ${status.agent_id} is listed with it already`,
    ms: null,
    fix: 'Nothing, where that is your agent; else serve yours at another URL',
    severity: 'advice',
  })
  return checks.map(check => (check.name === 'unclaimed' ? taken : check))
}
