import { createSecretFilter, secretsInUrl, type SecretFilter } from '@farebox/payments/http/secret-filter'
import type { PlatformEnvironment } from './read-environment.ts'

/** Hides what the environment tells this process in confidence, before a text leaves it (OPS-08). */
export function hideSecretsOf(environment: PlatformEnvironment): SecretFilter {
  const { databaseUrl, directDatabaseUrl, rpcUrl, settings } = environment
  const { canaryKey, facilitator, operatorToken } = settings
  return createSecretFilter([
    canaryKey,
    operatorToken,
    facilitator?.adminToken,
    ...secretsInUrl(databaseUrl),
    ...secretsInUrl(directDatabaseUrl),
    ...secretsInUrl(rpcUrl),
    ...secretsInUrl(facilitator?.url),
  ])
}
