import fc from 'fast-check'
import type { Declaration, FieldMap } from 'farebox'
import { BEHAVIOURS } from '../handlers/behaviours.ts'
import { BODY_SPOILS, BROKEN_BODIES, WRONG_TYPES } from './body-spoils.ts'
import { PLAIN_FIELDS } from './declarations.ts'
import { goodJobsFor } from './draw-recipe.ts'
import { listInputSpoils } from './input-spoils.ts'
import { POOR } from './payment-maker.ts'
import { PAYMENT_SPOILS } from './payment-spoils.ts'
import { SETTLE_FAULTS, VERIFY_FAULTS, type PaymentRecipe, type Recipe } from './recipe.ts'

/** Every type and keyword. */
const EVERY_FIELD: FieldMap = {
  text: { type: 'string', required: true, title: 'Text', description: 'Plain text.' },
  ...Object.fromEntries(PLAIN_FIELDS.map(([field], at) => [`field${at}`, field])),
  anything: { type: 'array' },
  list: { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 4 },
  any: { type: 'object' },
  nested: { type: 'object', properties: { inner: { type: 'string' } } },
}

const INPUT: FieldMap = { ...EVERY_FIELD, fallback: { type: 'string', default: 'word' } }

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
      input_schema: INPUT,
      output_schema: { result: { type: 'string' }, ...EVERY_FIELD },
    },
  },
}

type Change = Partial<Omit<Recipe, 'payment'>> & {
  readonly payment?: Partial<PaymentRecipe> | 'none'
}

/** A request for each fault, behaviour and repeat, for the agents of {@link FIXED_DECLARATION}. */
export function fixedRecipes(): readonly Recipe[] {
  const changes = [...wrongRequests(), ...wrongCourses('paid'), ...wrongCourses('dev')]
  const jobs = fc.sample(goodJobsFor(FIXED_DECLARATION), { seed: 1, numRuns: changes.length })
  return jobs.map((job, at): Recipe => {
    const { payment, ...change } = changes[at] ?? {}
    return {
      ...job,
      mode: 'paid',
      ...change,
      payment: payment === 'none' ? undefined : job.payment && { ...job.payment, ...payment },
    }
  })
}

function wrongRequests(): readonly Change[] {
  return [
    ...BODY_SPOILS.map(spoil => ({ bodySpoils: [spoil] })),
    ...BROKEN_BODIES.map(accident => ({ accidents: [accident] })),
    ...WRONG_TYPES.map(contentType => ({ contentType })),
    ...[0, -0.001].map(secondsLeft => ({ secondsLeft })),
    ...PAYMENT_SPOILS.map(spoil => ({ payment: { spoils: [spoil] } })),
    ...listInputSpoils(INPUT).map(inputSpoil => ({ inputSpoil })),
    { payment: 'none' },
    { payment: 'none', bodySpoils: [{ path: 'task/capability', value: null }] },
    { payment: { payer: POOR } },
    { mode: 'locked' },
    { mode: 'locked', payment: 'none' },
  ]
}

function wrongCourses(mode: 'paid' | 'dev'): readonly Change[] {
  return [
    ...Object.keys(BEHAVIOURS).map(behaviour => ({ mode, behaviour })),
    { mode, isRepeated: true },
    ...VERIFY_FAULTS.map(verifyFault => ({ mode, verifyFault })),
    ...SETTLE_FAULTS.map(settleFaults => ({ mode, settleFaults })),
    { mode, payment: { alias: true, bound: true } },
    { mode, payment: { alias: false, bound: false }, isNamed: false },
  ]
}
