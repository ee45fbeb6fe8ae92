import { createRedactor, secretsInUrl, type Redactor } from '@farebox/payments/internal/redact'
import type { PlatformEnvironment } from './read-environment.ts'

/** Hides what the environment tells this process in confidence, before a text leaves it (OPS-08). */
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
