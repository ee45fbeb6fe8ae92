import { x402Facilitator } from '@x402/core/facilitator'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { createWalletClient, http, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { baseSepolia } from 'viem/chains'
import { serve } from './serve.ts'

/** The x402 project's own facilitator, unmodified, behind a minimal HTTP server. */
export interface ReferenceFacilitator {
  readonly url: string
  /** Paths called, in order. */
  readonly calls: readonly string[]
  stop(): Promise<void>
}

/** Starts it on a local chain, its gas paid by a separate test key. */
export async function startReferenceFacilitator(rpcUrl: string): Promise<ReferenceFacilitator> {
  const account = privateKeyToAccount(TEST_KEYS.faucet.privateKey)
  const wallet = createWalletClient({ account, chain: baseSepolia, transport: http(rpcUrl) }).extend(
    publicActions,
  )
  // Its documentation passes a viem wallet; only the two packages' types disagree on optional fields.
  const signer = toFacilitatorEvmSigner({ ...wallet, address: account.address } as unknown as Parameters<
    typeof toFacilitatorEvmSigner
  >[0])
  const facilitator = new x402Facilitator().register('eip155:84532', new ExactEvmScheme(signer))
  const calls: string[] = []
  const { url, stop } = await serve((request, response, body) => {
    const path = request.url ?? ''
    calls.push(path)
    answer(path, body).then(
      told => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(told)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  return { url, calls, stop }

  async function answer(path: string, body: Buffer): Promise<unknown> {
    if (path === '/supported') return facilitator.getSupported()
    // It validates its arguments; its types require that they were validated before.
    const { paymentPayload, paymentRequirements } = JSON.parse(body.toString('utf8')) as {
      paymentPayload: never
      paymentRequirements: never
    }
    if (path === '/verify') return await facilitator.verify(paymentPayload, paymentRequirements)
    if (path === '/settle') return await facilitator.settle(paymentPayload, paymentRequirements)
    throw new Error(`no such route: ${path}`)
  }
}
