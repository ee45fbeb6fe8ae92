import { sameAddress } from '@farebox/payments/crypto/address'
import { readPrice } from '@farebox/protocol/money/usdc'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { Terms } from './terms.ts'

/**
 * Why a payment must not be signed for these terms, as a sentence; undefined where it may be. What a 402 asks
 * for is its agent's word alone: it has to pay the declared wallet the declared price, in the token of our own
 * table (D1, D4, D29).
 *
 * @param declaration what the terms are held against: what `/about` says, or said when they were agreed to
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
