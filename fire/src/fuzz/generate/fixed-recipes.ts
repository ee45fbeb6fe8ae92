import fc from 'fast-check'
import type { Declaration, Field, FieldMap } from 'farebox'
import { BEHAVIOURS } from '../handlers/behaviours.ts'
import { BODY_SPOILS } from './body-spoils.ts'
import { goodJobsFor } from './draw-recipe.ts'
import { listInputSpoils } from './input-spoils.ts'
import { POOR } from './payment-draft.ts'
import { PAYMENT_SPOILS } from './payment-spoils.ts'
import { REPEATS, type ExecuteRecipe, type PaymentRecipe, type Recipe } from './recipe.ts'
import { METHODS, PATHS } from './routes.ts'
import { TEXT_FORMS } from './text-forms.ts'

/** As many values as the longest list of a spoil has. */
const PICKS = 12

/** Every type and keyword. */
function everyField(): FieldMap {
  const forms = TEXT_FORMS.map(({ keywords }, at): [string, Field] => [
    `form${at}`,
    { type: 'string', ...keywords },
  ])
  return {
    text: { type: 'string', required: true, title: 'Text', description: 'Plain text.' },
    word: { type: 'string', minLength: 2, maxLength: 12 },
    colour: { type: 'string', enum: ['red', 'green', '🚕'] },
    count: { type: 'integer', minimum: -3, maximum: 10 },
    size: { type: 'number', minimum: -3, maximum: 10 },
    level: { type: 'integer', enum: [1, 2, 3] },
    switch: { type: 'boolean' },
    anything: { type: 'array' },
    list: { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 4 },
    any: { type: 'object' },
    nested: { type: 'object', properties: { inner: { type: 'string' } } },
    ...Object.fromEntries(forms),
  }
}

/** An agent with a field of every kind. */
export const FIXED_DECLARATION: Declaration = {
  service_version: '1.0',
  name: 'Fixed',
  description: 'One field of every kind.',
  wallet: '${AGENT_WALLET_ADDRESS}',
  max_deadline_seconds: 30,
  capabilities: {
    work: {
      description: 'Works.',
      pricing: { model: 'per_job', amount: '0.01', currency: 'USDC' },
      input_schema: { ...everyField(), fallback: { type: 'string', default: 'word' } },
      output_schema: { result: { type: 'string' }, ...everyField() },
    },
  },
}

type Change = Partial<Omit<ExecuteRecipe, 'kind' | 'payment'>> & {
  readonly payment?: Partial<PaymentRecipe> | 'none'
}

/** A request for each fault, behaviour, repeat and route by name, for the agents of {@link FIXED_DECLARATION}. */
export function fixedRecipes(): readonly Recipe[] {
  const changes = [...wrongRequests(), ...wrongCourses()]
  const jobs = fc.sample(goodJobsFor(FIXED_DECLARATION), { seed: 1, numRuns: changes.length })
  const changed = jobs.map((job, at): Recipe => {
    const { payment, ...change } = changes[at] ?? {}
    return {
      ...job,
      mode: 'paid',
      ...change,
      payment: payment === 'none' ? undefined : job.payment && { ...job.payment, ...payment },
    }
  })
  return [...changed, ...everyRoute()]
}

function wrongRequests(): Change[] {
  const picks = Array.from({ length: PICKS }, (_, pick) => pick)
  const fields = FIXED_DECLARATION.capabilities['work']?.input_schema ?? {}
  return [
    ...Object.keys(BODY_SPOILS).flatMap(name => picks.map(pick => ({ bodySpoils: [{ name, pick }] }))),
    ...Object.keys(PAYMENT_SPOILS).flatMap(name =>
      picks.map(pick => ({ payment: { spoils: [{ name, pick }] } })),
    ),
    ...listInputSpoils(fields).map(inputSpoil => ({ inputSpoil })),
    { payment: 'none' },
    { payment: 'none', bodySpoils: [{ name: 'capability unknown', pick: 1 }] },
    { payment: { payer: POOR } },
    { mode: 'locked' },
    { mode: 'locked', payment: 'none' },
  ]
}

function wrongCourses(): readonly Change[] {
  const modes = ['paid', 'dev'] as const
  return modes.flatMap((mode): Change[] => [
    ...Object.keys(BEHAVIOURS).map(behaviour => ({ mode, behaviour })),
    ...REPEATS.map(repeat => ({ mode, repeat })),
    ...(['invalid', 'unauthorized', 'unavailable'] as const).map(verifyFault => ({ mode, verifyFault })),
    ...(['failed', 'unknown once', 'unknown for long'] as const).map(settleFault => ({ mode, settleFault })),
    { mode, payment: { alias: true, bound: true } },
    { mode, payment: { alias: false, bound: false }, isNamed: false },
  ])
}

function everyRoute(): readonly Recipe[] {
  const each = METHODS.flatMap(method => PATHS.map(path => ({ method, path })))
  return [
    ...each.map((route): Recipe => ({ kind: 'route', mode: 'paid', ...route })),
    { kind: 'route', mode: 'dev', method: 'POST', path: '/execute' },
  ]
}
