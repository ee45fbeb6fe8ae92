import { createRedactor, secretsInUrl, type Redactor } from '@farebox/payments/internal/redact'
import type { Variables } from './read-environment.ts'

/** Of these a part is secret: a password, a query, a key in the path. */
const URL_VARIABLES = ['FACILITATOR_URL', 'SERVICE_RPC_URL', 'SERVICE_STORE'] as const

/** Hides what the environment tells this process in confidence, before a text leaves it (OPS-08). */
export function redactorOf(variables: Variables): Redactor {
  return createRedactor([
    variables['FACILITATOR_SECRET'],
    variables['SPENDER_PRIVATE_KEY'],
    variables['HIRING_PRIVATE_KEY'],
    ...URL_VARIABLES.flatMap(name => secretsInUrl(variables[name])),
  ])
}
