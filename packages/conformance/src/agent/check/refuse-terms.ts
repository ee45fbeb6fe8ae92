import { sameAddress } from '@farebox/payments/crypto/address'
import { readPrice } from '@farebox/protocol/money/usdc'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { Terms } from './terms.ts'

/**
 * Returns the reason why a payment must not be signed for these terms, as a sentence, or `undefined` when it may be signed.
 * The terms of a 402 response come from the agent alone: they must pay the declared wallet the declared price, in the token
 * of our own table (D1, D4, D29).
 *
 * @param declaration the declaration to compare with: the current `/about`, or that of the time when the payer agreed
 */
export function refuseTerms(terms: Terms, declaration: Declaration): string | undefined {
  const { network, requirement, capability } = terms
  const asks = `the 402 of ${capability} asks for`
  const declared = Object.hasOwn(declaration.capabilities, capability)
    ? readPrice(declaration.capabilities[capability]?.pricing.amount)
    : undefined
  if (declared?.ok !== true) return `${capability} has no price in /about`
  if (!sameAddress(requirement.payTo, declaration.wallet)) {
    return `${asks} payment to ${requirement.payTo}, and the wallet of /about is ${declaration.wallet}`
  }
  if (requirement.amount !== declared.atomic.toString()) {
    return `${asks} ${requirement.amount} atomic units, and the price of /about is ${declared.atomic}`
  }
  if (!sameAddress(requirement.asset, network.asset.address)) {
    return `${asks} the token ${requirement.asset}, and USDC on ${network.id} is ${network.asset.address}`
  }
  return undefined
}
