import { countCodePoints } from '../fields/code-points.ts'
import { fieldsRule } from '../field-rules/field-schema.ts'
import { MAX_AGENT_NAME_CHARACTERS, MAX_DESCRIPTION_CHARACTERS } from '../limits.ts'
import { SERVICE_VERSION } from '../version.ts'
import { maxDeadline } from './deadline-rule.ts'
import type { Declaration, Permission, Pricing } from './declaration.ts'
import type { DeclarationCheck } from '../field-rules/declaration-check.ts'
import { nameSchema, refuseName } from '../field-rules/name-rule.ts'
import { price, spendBound } from './price-rule.ts'
import type { Problem } from '../problems/problem.ts'
import { isObject } from '../guards/json.ts'
import {
  anything,
  described,
  exactly,
  nameOf,
  object,
  optional,
  showExample,
  text,
  unbracket,
  type Path,
  type Rule,
} from '../field-rules/rule.ts'
import { wallet } from './wallet-rule.ts'

const PRICING: { readonly [key in keyof Pricing]: Rule } = {
  model: described('How the price is counted: a fixed price for each delivered job.', exactly('per_job')),
  amount: described(
    'Price of one job in USDC, as text: "0.01". More than zero, at most six decimals. Failed jobs cost nothing.',
    price('0.01'),
  ),
  currency: described('The one currency there is.', exactly('USDC')),
}

const PERMISSION_KEYS: { readonly [key in keyof Permission]: Rule } = {
  type: described(
    'What is asked for: "EXECUTE_TRANSACTIONS", the one type there is.',
    exactly('EXECUTE_TRANSACTIONS'),
  ),
  reason: described(
    'Why, in words for the user who is asked for it.',
    text({ min: 1, max: MAX_DESCRIPTION_CHARACTERS, example: 'Buys the ticket you chose' }),
  ),
  token: described(
    'Symbol of the token that is spent: "USDC".',
    text({ min: 1, max: MAX_AGENT_NAME_CHARACTERS, example: 'USDC' }),
  ),
  max_per_transaction: described(
    'The most that one transaction may spend, as text: "5.00". Users permit less, and the runtime refuses more.',
    spendBound('5.00'),
  ),
}

const PERMISSION = object(PERMISSION_KEYS)

const CAPABILITY = object({
  description: described(
    'What it does, for those who choose it. May be empty.',
    text({ min: 0, max: MAX_DESCRIPTION_CHARACTERS, example: 'Counts the words of a text' }),
  ),
  pricing: described('What one delivered job costs.', object(PRICING)),
  input_schema: described(
    'The fields a caller sends: from field name to field. {} where there are none.',
    fieldsRule('input', { text: { type: 'string', required: true } }),
  ),
  output_schema: described(
    'The fields the handler returns: from field name to field.',
    fieldsRule('output', { words: { type: 'integer' } }),
  ),
  permissions: optional(
    described("What it asks of the user's wallet beyond its price. Leave it out where it asks nothing.", {
      check: checkPermissions,
      schema: { type: 'array', items: PERMISSION.schema, examples: [[PERMISSION.example]] },
      example: [PERMISSION.example],
    }),
  ),
})

const KEYS: { readonly [key in keyof Declaration | '$schema']: Rule } = {
  service_version: described('Version of the interface: always "1.0".', exactly(SERVICE_VERSION)),
  name: described(
    'What the agent is called.',
    text({ min: 1, max: MAX_AGENT_NAME_CHARACTERS, example: 'Word counter' }),
  ),
  description: described(
    'What the agent does, in a sentence or two. May be empty.',
    text({ min: 0, max: MAX_DESCRIPTION_CHARACTERS, example: 'Counts the words of a text' }),
  ),
  wallet: described(
    'Who is paid. Leave the placeholder and set AGENT_WALLET_ADDRESS in the environment; an address works too, and the environment wins.',
    wallet(),
  ),
  max_deadline_seconds: described(
    'How long a job may take before it counts as expired, in seconds.',
    maxDeadline(),
  ),
  capabilities: described('What the agent can do, each with its own fields and its own price.', {
    check: checkCapabilities,
    schema: {
      type: 'object',
      minProperties: 1,
      propertyNames: nameSchema(MAX_AGENT_NAME_CHARACTERS),
      additionalProperties: CAPABILITY.schema,
      examples: [{ count: CAPABILITY.example }],
    },
    example: { count: CAPABILITY.example },
  }),
  $schema: optional(described('For editors only; it is not served.', anything('./agent.schema.json'))),
}

/** The rules of a declaration (D18, D28): the only source of its check and of the schema for editors. */
export const DECLARATION: Rule = object(KEYS)

function checkCapabilities(value: unknown, path: Path, whole: DeclarationCheck): readonly Problem[] {
  if (!isObject(value)) {
    const reason = `must be an object from capability name to capability, got ${nameOf(value)}`
    return [{ path, reason, fix: unbracket(value) ?? `write ${showExample({ count: CAPABILITY.example })}` }]
  }
  const names = Object.keys(value)
  if (names.length === 0) {
    const fix = `add one, such as "count": ${showExample(CAPABILITY.example)}`
    return [{ path, reason: 'must declare at least one capability', fix }]
  }
  return names.flatMap(name => checkCapability(name, value[name], [...path, name], whole))
}

function checkCapability(
  name: string,
  value: unknown,
  path: Path,
  whole: DeclarationCheck,
): readonly Problem[] {
  if (name === '' || countCodePoints(name) > MAX_AGENT_NAME_CHARACTERS) {
    const reason = `a capability name has 1 to ${MAX_AGENT_NAME_CHARACTERS} characters`
    const fix =
      name === '' ? 'give it a name, such as "count"' : 'shorten the name, the description can say more'
    return [{ path, reason, fix, at: 'key' }]
  }
  const fault = refuseName(name, 'task')
  return fault === undefined ? CAPABILITY.check(value, path, whole) : [{ path, ...fault }]
}

function checkPermissions(value: unknown, path: Path, whole: DeclarationCheck): readonly Problem[] {
  if (!Array.isArray(value)) {
    const fix = isObject(value)
      ? 'put brackets around it: [{ … }]'
      : 'write a list of permissions, or remove the key'
    return [{ path, reason: `must be an array of permissions, got ${nameOf(value)}`, fix }]
  }
  const problems = value.flatMap((permission, index) => PERMISSION.check(permission, [...path, index], whole))
  return problems.length > 0 ? problems : refuseDoubles(value, path, whole)
}

/** The user gives one permission per token: with two limits for a token it would be unclear which applies. */
function refuseDoubles(
  permissions: readonly unknown[],
  path: Path,
  whole: DeclarationCheck,
): readonly Problem[] {
  const firsts = new Map<string, number>()
  const problems: Problem[] = []
  for (const [index, permission] of permissions.entries()) {
    const token = isObject(permission) ? permission['token'] : undefined
    if (typeof token !== 'string' || problems.length >= whole.problemsLeft) continue
    const first = firsts.get(token)
    if (first === undefined) firsts.set(token, index)
    else {
      const reason = `${JSON.stringify(token.slice(0, 40))} is asked for by permissions[${first}] already`
      const fix = 'keep one of the two, with the larger bound'
      problems.push({ path: [...path, index, 'token'], reason, fix })
    }
  }
  whole.problemsLeft -= problems.length
  return problems
}
