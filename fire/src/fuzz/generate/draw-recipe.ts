import fc from 'fast-check'
import type { Capability, Declaration, JsonObject } from 'farebox'
import { BEHAVIOURS, QUIET } from '../handlers/behaviours.ts'
import { accidents } from './accidents.ts'
import { BODY_SPOILS } from './body-spoils.ts'
import { listInputSpoils } from './input-spoils.ts'
import { POOR } from './payment-maker.ts'
import { PAYMENT_SPOILS } from './payment-spoils.ts'
import {
  REPEATS,
  SETTLE_FAULTS,
  VERIFY_FAULTS,
  type ExecuteRecipe,
  type PaymentRecipe,
  type Recipe,
  type SpoilChoice,
  type WildRecipe,
} from './recipe.ts'
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
  'application/json; charset=latin1; v=1',
]

/** Slow to make and slow to read: rarer than the rest. */
const HEAVY = /large|deep|huge|endless/

/** Recipes for the agents of a declaration. */
export function recipesFor(declaration: Declaration): fc.Arbitrary<Recipe> {
  return fc.oneof(
    {
      weight: 75,
      arbitrary: jobsOf(
        declaration,
        faultsOf,
        payments(spoilsOf(PAYMENT_SPOILS), either(32, fc.nat(POOR - 1), fc.constant(POOR))),
      ),
    },
    { weight: 5, arbitrary: jobsOf(declaration, () => repeated, goodPayments()) },
    // In dev mode nothing else is due without a payment; out of it the price is.
    { weight: 10, arbitrary: jobsOf(declaration, faultsOf, fc.constant(undefined)) },
    { weight: 10, arbitrary: wildRecipes(declaration) },
  )
}

/** Jobs with nothing wrong, paid for in whatever mode. */
export function goodJobsFor(declaration: Declaration): fc.Arbitrary<ExecuteRecipe> {
  return jobsOf(declaration, () => fc.constant(NO_FAULTS), goodPayments())
}

function jobsOf(
  { capabilities }: Declaration,
  faultsFor: (capability: Capability) => fc.Arbitrary<Faults>,
  payment: fc.Arbitrary<PaymentRecipe | undefined>,
): fc.Arbitrary<ExecuteRecipe> {
  const each = Object.entries(capabilities).map(([name, capability], index) =>
    fc
      .record({
        kind: fc.constant('execute' as const),
        mode: fc.constantFrom('dev', 'dev', 'dev', 'paid', 'paid', 'paid', 'paid', 'paid', 'paid', 'locked'),
        jobId: noise(fc.uuid({ version: 4 })),
        capability: fc.constant(name),
        isNamed: index === 0 ? fc.boolean() : fc.constant(true),
        input: inputsOf(capability.input_schema),
        output: outputsOf(capability.output_schema),
        secondsLeft: fc.constantFrom(5, 20, 20.5, 3_600),
        contentType: fc.constantFrom(...CONTENT_TYPES),
        payment,
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
    verifyFault: either(19, none, fc.constantFrom(...VERIFY_FAULTS)),
    settleFault: either(24, none, fc.constantFrom(...SETTLE_FAULTS)),
    repeat: none,
  })
}

const repeated: fc.Arbitrary<Faults> = fc.constantFrom(...REPEATS).map(repeat => ({ ...NO_FAULTS, repeat }))

/** None mostly, one often, seldom two or three. */
function spoilsOf(spoils: { readonly [name: string]: unknown }): fc.Arbitrary<readonly SpoilChoice[]> {
  const one = fc.record({ name: namesOf(spoils), pick: fc.nat(9_999) })
  const some = (minLength: number, maxLength: number) =>
    fc.uniqueArray(one, { minLength, maxLength, selector: ({ name }) => name })
  return either(11, either(2, fc.constant([]), some(1, 1)), some(2, 3))
}

function namesOf(table: { readonly [name: string]: unknown }): fc.Arbitrary<string> {
  return fc.oneof(
    ...Object.keys(table).map(name => ({ weight: HEAVY.test(name) ? 2 : 5, arbitrary: fc.constant(name) })),
  )
}

function payments(
  spoils: fc.Arbitrary<readonly SpoilChoice[]>,
  payer: fc.Arbitrary<number>,
): fc.Arbitrary<PaymentRecipe> {
  return fc.record({
    spoils,
    payer,
    version: fc.constantFrom(2, 2, 1),
    // Random but for its first byte, so that it is never the bound form.
    nonce: noise(fc.bigInt({ min: 0n, max: 2n ** 248n - 1n })).map(
      nonce => `0x00${nonce.toString(16).padStart(62, '0')}`,
    ),
    bound: fc.boolean(),
    alias: either(6, fc.constant(false), fc.constant(true)),
  })
}

function goodPayments(): fc.Arbitrary<PaymentRecipe> {
  return payments(fc.constant([]), fc.nat(POOR - 1))
}

function wildRecipes(declaration: Declaration): fc.Arbitrary<WildRecipe> {
  const outputs: { [name: string]: fc.Arbitrary<JsonObject> } = {}
  for (const [name, { output_schema }] of Object.entries(declaration.capabilities))
    outputs[name] = outputsOf(output_schema)
  // Another capability may be read from the broken bytes: a nonce bound to this one would then be wrong, too.
  const payment = goodPayments().map(made => ({ ...made, bound: false }))
  const jobs = jobsOf(declaration, () => fc.constant(NO_FAULTS), either(4, payment, fc.constant(undefined)))
  return fc
    .record({ job: jobs, accidents, outputs: fc.record(outputs) })
    .map(made => ({ kind: 'wild', mode: made.job.mode, ...made }))
}

/** Values that must differ from each other and mean nothing: neither biased to small ones nor shrunk. */
function noise<T>(values: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.noShrink(fc.noBias(values))
}
