import { createRedactor, secretsInUrl, type Redactor } from '@farebox/payments/internal/redact'
import type { PlatformEnvironment } from './read-environment.ts'

/** Creates a redactor that removes the secrets of the environment from any text that leaves the process (OPS-08). */
export function redactorOf(environment: PlatformEnvironment): Redactor {
  const { databaseUrl, directDatabaseUrl, rpcUrl, paymentKey, paymentKeyBefore, settings } = environment
  const { canaryKey, facilitator, faucetKey, operatorToken } = settings
  return createRedactor([
    paymentKey,
    paymentKeyBefore,
    canaryKey,
    faucetKey,
    operatorToken,
    facilitator?.adminToken,
    ...secretsInUrl(databaseUrl),
    ...secretsInUrl(directDatabaseUrl),
    ...secretsInUrl(rpcUrl),
    ...secretsInUrl(facilitator?.url),
  ])
}
