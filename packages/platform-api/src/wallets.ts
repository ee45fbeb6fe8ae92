import { z } from 'zod'

/** The path of `GET /v1/wallets/:address/balance`. */
export const walletPath = z.strictObject({
  address: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address')
    .transform(text => text.toLowerCase()),
})

/**
 * The answer of `GET /v1/wallets/:address/balance`: the balances of an address on the platform's chain.
 *
 * @example
 * ```ts
 * import { walletBalance } from '@farebox/platform-api/wallets'
 *
 * const answer = await fetch(
 *   'https://platform.example/v1/wallets/0x70997970c51812dc3a010c7d01b50e0d17dc79c8/balance',
 * )
 * console.log(`${walletBalance.parse(await answer.json()).usdc} USDC`)
 * ```
 */
export const walletBalance = z.strictObject({
  address: z.string().describe('Lower-case address'),
  usdc: z.string().describe('Decimal USDC'),
  usdc_atomic: z.string().regex(/^\d+$/),
  native_wei: z.string().regex(/^\d+$/).describe('The coin that gas is paid in'),
  block_number: z.int().nonnegative().describe('As of this block, or of one just after it'),
})

/** The type that {@link walletBalance} parses to. */
export type WalletBalance = z.infer<typeof walletBalance>

/** The body of `POST /v1/local/faucet`, a route that only platforms on a local chain have. */
export const faucetRequest = z.strictObject({ address: walletPath.shape.address })

/** The answer of `POST /v1/local/faucet`: the new balances of the address. */
export const faucetAnswer = z.strictObject({
  usdc: z.string().describe('Decimal USDC'),
  native_wei: z.string().regex(/^\d+$/).describe('The coin that gas is paid in'),
})

/** The type that {@link faucetAnswer} parses to. */
export type FaucetAnswer = z.infer<typeof faucetAnswer>

/**
 * The answer of `GET /v1/local/first-job`, a route that only platforms on a local chain have: a job that can be ordered
 * unchanged.
 */
export const firstJob = z.strictObject({
  agent_id: z.int().positive(),
  agent_name: z.string(),
  capability: z.string(),
  price: z.string().describe('Decimal USDC'),
  input: z.record(z.string(), z.unknown()).describe('A sample that the capability takes'),
  input_schema: z.record(z.string(), z.unknown()).describe('Fields as declared'),
})

/** The type that {@link firstJob} parses to. */
export type FirstJob = z.infer<typeof firstJob>

/** The methods of a local chain that its platform forwards (EIP-1474). Only the last one changes state. */
export const localChainMethods = [
  'eth_chainId',
  'eth_call',
  'eth_estimateGas',
  'eth_gasPrice',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
  'eth_sendRawTransaction',
] as const

/** The first parameter of `eth_call` and `eth_estimateGas` there: a contract call with at most the gas of a block. */
export const localChainCall = z.strictObject({
  from: walletPath.shape.address.optional(),
  to: walletPath.shape.address,
  value: z
    .string()
    .regex(/^0x[0-9a-fA-F]{1,64}$/)
    .optional(),
  data: z
    .string()
    .regex(/^0x(?:[0-9a-fA-F]{2}){0,50000}$/)
    .optional(),
})

/** The body of `POST /v1/local/chain`, a route that only platforms on a local chain have. */
export const localChainQuestion = z.strictObject({
  method: z.enum(localChainMethods),
  params: z.array(z.unknown()).max(4),
})

/** The type that {@link localChainQuestion} parses to. */
export type LocalChainQuestion = z.infer<typeof localChainQuestion>

/** The answer of `POST /v1/local/chain`: the node's result, unchanged. */
export const localChainAnswer = z.strictObject({ result: z.unknown() })

/** The type that {@link localChainAnswer} parses to. */
export type LocalChainAnswer = z.infer<typeof localChainAnswer>
