import fc from 'fast-check'
import type { Capability, Declaration } from 'farebox'
import { BEHAVIOURS } from '../handlers/behaviours.ts'
import { accidents } from './accidents.ts'
import { BODY_SPOILS } from './body-spoils.ts'
import { listInputSpoils } from './input-spoils.ts'
import { POOR } from './payment-draft.ts'
import { PAYMENT_SPOILS } from './payment-spoils.ts'
import {
  QUIET,
  REPEATS,
  type ExecuteRecipe,
  type PaymentRecipe,
  type Recipe,
  type RouteRecipe,
  type SpoilChoice,
  type WildRecipe,
} from './recipe.ts'
import { METHODS, PATHS } from './routes.ts'
import { either, inputsOf, outputsOf } from './values.ts'

type Faults = Pick<
  ExecuteRecipe,
  'bodySpoils' | 'inputSpoil' | 'behaviour' | 'verifyFault' | 'settleFault' | 'repeat'
>

/** Nothing out of order. */
const NO_FAULTS: Faults = {
  bodySpoils: [],
  inputSpoil: undefined,
  behaviour: QUIET,
  verifyFault: undefined,
  settleFault: undefined,
  repeat: undefined,
}

const CONTENT_TYPES = [
  'application/json',
  'Application/JSON; charset=UTF-8',
  'application/json;charset="utf-8"',
  'application/json; charset=latin1; v=1',
  'application/json;',
]

/** Slow to make and slow to read: rarer than the rest. */
const HEAVY: ReadonlySet<string> = new Set([
  'too large',
  'body too deep',
  'header huge',
  'field endless array',
  'surplus field endless array',
])

const modes = fc.oneof(
  { weight: 3, arbitrary: fc.constant('dev' as const) },
  { weight: 6, arbitrary: fc.constant('paid' as const) },
  { weight: 1, arbitrary: fc.constant('locked' as const) },
)

/** Recipes for the agents of a declaration. */
export function recipesFor(declaration: Declaration): fc.Arbitrary<Recipe> {
  return fc.oneof(
    { weight: 83, arbitrary: jobsFor(declaration) },
    { weight: 11, arbitrary: wildRecipes(declaration) },
    { weight: 6, arbitrary: routes },
  )
}

/** Jobs with nothing wrong, paid for in whatever mode. */
export function goodJobsFor(declaration: Declaration): fc.Arbitrary<ExecuteRecipe> {
  return jobsOf(declaration, () => fc.constant(NO_FAULTS), goodPayments)
}

function jobsFor(declaration: Declaration): fc.Arbitrary<ExecuteRecipe> {
  return fc.oneof(
    { weight: 12, arbitrary: jobsOf(declaration, faultsOf, payments) },
    { weight: 1, arbitrary: jobsOf(declaration, () => repeated, payments) },
    // In dev mode nothing else is due without a payment; out of it the price is.
    { weight: 2, arbitrary: jobsOf(declaration, faultsOf, fc.constant(undefined)) },
  )
}

function jobsOf(
  { capabilities }: Declaration,
  faultsFor: (capability: Capability) => fc.Arbitrary<Faults>,
  paid: fc.Arbitrary<PaymentRecipe | undefined>,
): fc.Arbitrary<ExecuteRecipe> {
  const each = Object.entries(capabilities).map(([name, capability], index) =>
    fc
      .record({
        kind: fc.constant('execute' as const),
        mode: modes,
        jobId: noise(fc.uuid({ version: 4 })),
        capability: fc.constant(name),
        isNamed: index === 0 ? fc.boolean() : fc.constant(true),
        input: inputsOf(capability.input_schema),
        output: outputsOf(capability.output_schema),
        secondsLeft: fc.constantFrom(5, 20, 20.5, 3_600),
        hasTrace: either(9, fc.constant(false), fc.constant(true)),
        contentType: fc.constantFrom(...CONTENT_TYPES),
        query: either(2, fc.constant(''), fc.constant('?trace=1')),
        payment: paid,
        faults: faultsFor(capability),
      })
      .map(({ faults, ...job }): ExecuteRecipe => ({ ...job, ...faults })),
  )
  return fc.oneof(...each)
}

function faultsOf({ input_schema }: Capability): fc.Arbitrary<Faults> {
  const wrong = listInputSpoils(input_schema)
  const none = fc.constant(undefined)
  return fc.record({
    bodySpoils: spoilsOf(BODY_SPOILS),
    inputSpoil: wrong.length === 0 ? none : either(7, none, fc.constantFrom(...wrong)),
    behaviour: either(1, fc.constant(QUIET), namesOf(BEHAVIOURS)),
    verifyFault: either(19, none, fc.constantFrom('invalid', 'unauthorized', 'unavailable')),
    settleFault: either(24, none, fc.constantFrom('failed', 'unknown once', 'unknown for long')),
    repeat: none,
  })
}

const repeated: fc.Arbitrary<Faults> = fc.constantFrom(...REPEATS).map(repeat => ({ ...NO_FAULTS, repeat }))

/** None mostly, one often, seldom two or three. */
function spoilsOf(spoils: { readonly [name: string]: unknown }): fc.Arbitrary<readonly SpoilChoice[]> {
  const one = fc.record({ name: namesOf(spoils), pick: fc.nat(9_999) })
  const some = (count: number) =>
    fc.uniqueArray(one, { minLength: count, maxLength: count, selector: ({ name }) => name })
  return fc.oneof(
    { weight: 62, arbitrary: fc.constant([]) },
    { weight: 30, arbitrary: some(1) },
    { weight: 5, arbitrary: some(2) },
    { weight: 3, arbitrary: some(3) },
  )
}

function namesOf(table: { readonly [name: string]: unknown }): fc.Arbitrary<string> {
  return fc.oneof(
    ...Object.keys(table).map(name => ({ weight: HEAVY.has(name) ? 2 : 5, arbitrary: fc.constant(name) })),
  )
}

const terms = {
  version: either(2, fc.constant(2 as const), fc.constant(1 as const)),
  // Random but for its first byte, so that it is never the bound form.
  nonce: noise(fc.bigInt({ min: 0n, max: 2n ** 248n - 1n })).map(
    nonce => `0x00${nonce.toString(16).padStart(62, '0')}`,
  ),
  bound: fc.boolean(),
  alias: either(6, fc.constant(false), fc.constant(true)),
  isAlwaysValid: fc.boolean(),
  isPadded: either(2, fc.constant(true), fc.constant(false)),
  lastsSeconds: fc.nat(600),
}

const goodPayments: fc.Arbitrary<PaymentRecipe> = fc.record({
  ...terms,
  spoils: fc.constant([]),
  payer: fc.nat(POOR - 1),
})

const payments: fc.Arbitrary<PaymentRecipe> = fc.record({
  ...terms,
  spoils: spoilsOf(PAYMENT_SPOILS),
  payer: either(32, fc.nat(POOR - 1), fc.constant(POOR)),
})

function wildRecipes(declaration: Declaration): fc.Arbitrary<WildRecipe> {
  const outputs = Object.entries(declaration.capabilities).map(
    ([name, { output_schema }]): [string, ReturnType<typeof outputsOf>] => [name, outputsOf(output_schema)],
  )
  const unpaid = { ...terms, bound: fc.constant(false), spoils: fc.constant([]), payer: fc.nat(POOR - 1) }
  const jobs = jobsOf(
    declaration,
    () => fc.constant(NO_FAULTS),
    either(4, fc.record(unpaid), fc.constant(undefined)),
  )
  return fc
    .record({ job: jobs, accidents, outputs: fc.record(Object.fromEntries(outputs)) })
    .map(made => ({ kind: 'wild', mode: made.job.mode, ...made }))
}

const routes: fc.Arbitrary<RouteRecipe> = fc.record({
  kind: fc.constant('route' as const),
  mode: modes,
  method: fc.constantFrom(...METHODS),
  path: fc.constantFrom(...PATHS),
})

/** Values that must differ from each other and mean nothing: neither biased to small ones nor shrunk. */
function noise<T>(values: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.noShrink(fc.noBias(values))
}
