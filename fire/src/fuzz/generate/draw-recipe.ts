import fc from 'fast-check'
import type { Capability, Declaration } from 'farebox'
import { BEHAVIOURS, QUIET } from '../handlers/behaviours.ts'
import { accidents } from './accidents.ts'
import { BODY_SPOILS, BROKEN_BODIES, GOOD_TYPES, WRONG_TYPES } from './body-spoils.ts'
import { listInputSpoils } from './input-spoils.ts'
import { POOR } from './payment-maker.ts'
import { PAYMENT_SPOILS } from './payment-spoils.ts'
import { SETTLE_FAULTS, VERIFY_FAULTS, type PaymentRecipe, type Recipe } from './recipe.ts'
import { either, inputsOf, outputsOf } from './values.ts'

type Payments = fc.Arbitrary<PaymentRecipe | undefined>
type Faults = { readonly [fault in keyof typeof NO_FAULTS]: fc.Arbitrary<Recipe[fault]> }

const none = fc.constant(undefined)

/** No fault. */
const NO_FAULTS = {
  inputSpoil: none,
  bodySpoils: fc.constant([]),
  accidents: fc.constant([]),
  behaviour: fc.constant(QUIET),
  verifyFault: none,
  settleFaults: fc.constant([]),
  isRepeated: fc.constant(false),
}

const brokenBodies = fc.constantFrom(...BROKEN_BODIES).map(one => [one])
const goodPayments = paymentsOf(fc.constant([]), fc.nat(POOR - 1))
const poorOrWrong = paymentsOf(
  // Of two wrong amounts one may correct the other.
  fewOf(fc.constantFrom(...PAYMENT_SPOILS), ({ name }) => name.replace(/^pays \S+ more$/, 'pays more')),
  either(32, fc.nat(POOR - 1), fc.constant(POOR)),
)

/** Recipes for the agents of a declaration. */
export function recipesFor(declaration: Declaration): fc.Arbitrary<Recipe> {
  const repeated = { ...NO_FAULTS, isRepeated: fc.constant(true) }
  const broken = { ...NO_FAULTS, accidents }
  return fc.oneof(
    { weight: 78, arbitrary: jobsOf(declaration, faultsOf, poorOrWrong) },
    { weight: 2, arbitrary: jobsOf(declaration, () => repeated, goodPayments) },
    // In dev mode no other check applies without a payment; otherwise the price is required.
    { weight: 10, arbitrary: jobsOf(declaration, faultsOf, none) },
    { weight: 10, arbitrary: jobsOf(declaration, () => broken, either(4, goodPayments, none)) },
  )
}

/** Valid jobs, paid for in either mode. */
export function goodJobsFor(declaration: Declaration): fc.Arbitrary<Recipe> {
  return jobsOf(declaration, () => NO_FAULTS, goodPayments)
}

function jobsOf(
  { capabilities }: Declaration,
  faultsFor: (capability: Capability) => Faults,
  payment: Payments,
): fc.Arbitrary<Recipe> {
  const each = Object.entries(capabilities).map(([name, capability], index) =>
    fc.record<Recipe>({
      mode: fc.constantFrom('dev', 'dev', 'dev', 'paid', 'paid', 'paid', 'paid', 'paid', 'paid', 'locked'),
      jobId: fc.noBias(fc.uuid({ version: 4 })),
      capability: fc.constant(name),
      isNamed: index === 0 ? fc.boolean() : fc.constant(true),
      input: inputsOf(capability.input_schema),
      output: outputsOf(capability.output_schema),
      secondsLeft: fc.constantFrom(5, 20, 20.5, 3_600),
      contentType: fc.constantFrom(...GOOD_TYPES),
      payment,
      ...faultsFor(capability),
    }),
  )
  return fc.oneof(...each)
}

function faultsOf({ input_schema }: Capability) {
  const wrong = listInputSpoils(input_schema)
  return {
    bodySpoils: fewOf(fc.constantFrom(...BODY_SPOILS), ({ path }) => path),
    accidents: either(11, fc.constant([]), brokenBodies),
    secondsLeft: either(30, fc.constantFrom(5, 20, 20.5, 3_600), fc.constantFrom(0, -0.001)),
    contentType: either(30, fc.constantFrom(...GOOD_TYPES), fc.constantFrom(...WRONG_TYPES)),
    inputSpoil: wrong.length === 0 ? none : either(7, none, fc.constantFrom(...wrong)),
    behaviour: either(1, fc.constant(QUIET), fc.oneof(...behaviours)),
    verifyFault: either(19, none, fc.constantFrom(...VERIFY_FAULTS)),
    settleFaults: either(24, fc.constant([]), fc.constantFrom(...SETTLE_FAULTS)),
    isRepeated: fc.constant(false),
  }
}

/** Outputs that are slow to make and slow to read are rarer than the others. */
const behaviours = Object.keys(BEHAVIOURS).map(name => ({
  weight: /deep|huge|endless/.test(name) ? 2 : 5,
  arbitrary: fc.constant(name),
}))

/** Usually none, often one, rarely two or three; never two of one kind. */
function fewOf<T>(spoils: fc.Arbitrary<T>, kindOf: (spoil: T) => string): fc.Arbitrary<readonly T[]> {
  const some = fc.uniqueArray(spoils, { minLength: 2, maxLength: 3, selector: kindOf })
  const one = spoils.map(spoil => [spoil])
  return either(11, either(2, fc.constant([]), one), some)
}

function paymentsOf(
  spoils: fc.Arbitrary<PaymentRecipe['spoils']>,
  payer: fc.Arbitrary<number>,
): fc.Arbitrary<PaymentRecipe> {
  return fc.record({
    spoils,
    payer,
    version: fc.constantFrom(2, 2, 1),
    // Random except for its first byte, so that it never has the bound form.
    nonce: fc
      .noBias(fc.bigInt({ min: 0n, max: 2n ** 248n - 1n }))
      .map(nonce => `0x00${nonce.toString(16).padStart(62, '0')}`),
    bound: fc.boolean(),
    alias: either(6, fc.constant(false), fc.constant(true)),
  })
}
