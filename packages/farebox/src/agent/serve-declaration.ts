import { refuseAddress } from '@farebox/payments/crypto/address'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { Network } from '@farebox/payments/networks'
import { createRequirement, paymentRequiredBody } from '@farebox/payments/x402/requirement'
import { checkDeclaration } from '@farebox/protocol/declaration/check-declaration'
import type { Capability, Declaration } from '@farebox/protocol/declaration/declaration'
import { formatProblem, type Problem } from '@farebox/protocol/problems/problem'
import { compileInput, compileOutput } from '@farebox/protocol/fields/compile'
import { formatUsdc, readPrice } from '@farebox/protocol/money/usdc'
import type { ServedCapability } from '../handler/served-capability.ts'

/** Thrown for a declaration that cannot be served; its message has every problem. */
export class DeclarationError extends TypeError {
  override readonly name = 'DeclarationError'
}

/**
 * Returns the declaration as `/about` serves it, checked and with the environment's wallet, and the warnings about it,
 * which do not prevent the start. Throws a {@link DeclarationError}.
 */
export function servedDeclaration(
  given: Declaration,
  wallet: string,
  crypto: Pick<EvmCrypto, 'keccak256'>,
): { readonly declaration: Declaration; readonly warnings: readonly Problem[] } {
  const checked = checkDeclaration(given)
  if (!checked.ok) {
    throw new DeclarationError(checked.problems.map(formatProblem).join('\n'))
  }
  const literal = checked.declaration.wallet
  const refused = literal.startsWith('0x') ? refuseAddress(crypto, literal) : undefined
  if (refused !== undefined) throw new DeclarationError(`wallet: ${refused}`)
  return { declaration: { ...checked.declaration, wallet }, warnings: checked.warnings }
}

/** Each declared capability with compiled schemas and a computed price. */
export function serveCapabilities(
  declaration: Declaration,
  network: Network,
): ReadonlyMap<string, ServedCapability> {
  return new Map(
    Object.entries(declaration.capabilities).map(([name, capability]) => {
      const price = readPrice(capability.pricing.amount)
      if (!price.ok) throw new DeclarationError(`capabilities.${name}: cannot be served`)
      requireTokens(name, capability, network)
      const requirement = createRequirement({
        network,
        payTo: declaration.wallet,
        amountAtomic: price.atomic,
        maxDeadlineSeconds: declaration.max_deadline_seconds,
      })
      return [
        name,
        {
          name,
          requirement,
          price: formatUsdc(price.atomic),
          description: capability.description,
          checkInput: compileInput(capability.input_schema),
          checkOutput: compileOutput(capability.output_schema),
          demand: JSON.stringify(
            paymentRequiredBody(requirement, { agent: declaration.name, capability: name }),
          ),
        },
      ]
    }),
  )
}

/**
 * Throws for a token symbol that is not in our own table for the chain: other tokens with the same symbol are never
 * meant.
 */
function requireTokens(
  name: string,
  { permissions = [] }: Capability,
  { asset, name: chain }: Network,
): void {
  const problems = permissions.flatMap(({ token }, index) => {
    if (token === asset.symbol) return []
    const path = ['capabilities', name, 'permissions', index, 'token']
    const reason = `is not a token we know on ${chain}: ${JSON.stringify(token)}; known is "${asset.symbol}"`
    return [formatProblem({ path, reason })]
  })
  if (problems.length > 0) throw new DeclarationError(problems.join('\n'))
}
