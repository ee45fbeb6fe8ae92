import { createSecretFilter, secretsInUrl, type SecretFilter } from '@farebox/payments/secret-filter'
import type { PlatformEnvironment } from './read-environment.ts'

/** Hides what the environment tells this process in confidence, before a text leaves it (OPS-08). */
export function hideSecretsOf({ databaseUrl, rpcUrl, settings }: PlatformEnvironment): SecretFilter {
  const { canaryKey, facilitator, operatorToken } = settings
  return createSecretFilter([
    canaryKey,
    operatorToken,
    facilitator?.adminToken,
    ...secretsInUrl(databaseUrl),
    ...secretsInUrl(rpcUrl),
    ...secretsInUrl(facilitator?.url),
  ])
}
