import { createRedactor, secretsInUrl, type Redactor } from '@farebox/payments/internal/redact'
import type { Variables } from './read-environment.ts'

/** URLs that may contain a secret: a password, a query, or a key in the path. */
const URL_VARIABLES = ['FACILITATOR_URL', 'SERVICE_RPC_URL', 'SERVICE_STORE'] as const

/** Makes a redactor that hides the secrets of the environment in texts that leave this process (OPS-08). */
export function redactorOf(variables: Variables): Redactor {
  return createRedactor([
    variables['FACILITATOR_SECRET'],
    variables['SPENDER_PRIVATE_KEY'],
    variables['HIRING_PRIVATE_KEY'],
    ...URL_VARIABLES.flatMap(name => secretsInUrl(variables[name])),
  ])
}
