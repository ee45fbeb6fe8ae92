import { createServer } from 'node:http'
import { x402Facilitator } from '@x402/core/facilitator'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { createWalletClient, http, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { baseSepolia } from 'viem/chains'

/** The x402 project's own facilitator, unmodified, behind the few lines of HTTP it wants. */
export interface ReferenceFacilitator {
  readonly url: string
  /** Paths called, in order. */
  readonly calls: readonly string[]
  stop(): Promise<void>
}

/** Starts it on a local chain, its gas paid by a test key of its own. */
export async function startReferenceFacilitator(rpcUrl: string): Promise<ReferenceFacilitator> {
  const account = privateKeyToAccount(TEST_KEYS.faucet.privateKey)
  const wallet = createWalletClient({ account, chain: baseSepolia, transport: http(rpcUrl) }).extend(publicActions)
  const facilitator = new x402Facilitator().register('eip155:84532', new ExactEvmScheme(toFacilitatorEvmSigner({ ...wallet, address: account.address })))
  const calls: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    calls.push(path)
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      answer(path, Buffer.concat(chunks)).then(
        body => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
        (error: unknown) => response.writeHead(500).end(String(error)),
      )
    })
  })

  async function answer(path: string, body: Buffer): Promise<unknown> {
    if (path === '/supported') return facilitator.getSupported()
    const { paymentPayload, paymentRequirements } = JSON.parse(body.toString('utf8')) as { [key: string]: never }
    if (path === '/verify') return await facilitator.verify(paymentPayload as never, paymentRequirements as never)
    if (path === '/settle') return await facilitator.settle(paymentPayload as never, paymentRequirements as never)
    throw new Error(`no such route: ${path}`)
  }

  const port = await new Promise<number>(resolve => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    stop: () => new Promise(resolve => {
      server.close(() => resolve())
      server.closeAllConnections()
    }),
  }
}
