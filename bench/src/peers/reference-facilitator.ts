import { createServer } from 'node:http'
import { x402Facilitator } from '@x402/core/facilitator'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import { createWalletClient, http, publicActions, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { baseSepolia } from 'viem/chains'

/**
 * The x402 project's own facilitator, unmodified, behind a minimal HTTP server. At its best: its transactions are sent
 * one after another, without which it loses many concurrent settlements (viem's nonce manager loses some), and it polls
 * for receipts as often as a chain with instant blocks allows.
 */
const account = privateKeyToAccount((process.env['RELAYER_PRIVATE_KEY'] ?? '') as Hex)
const wallet = createWalletClient({
  account,
  chain: baseSepolia,
  transport: http(process.env['RPC_URL']),
  pollingInterval: 50,
}).extend(publicActions)
// viem's types and the x402 project's differ under exactOptionalPropertyTypes; its documentation combines them like
// this.
const signer = toFacilitatorEvmSigner({ ...wallet, address: account.address } as Parameters<
  typeof toFacilitatorEvmSigner
>[0])
let sending: Promise<unknown> = Promise.resolve()
const oneByOne: typeof signer = {
  ...signer,
  async writeContract(call) {
    const send = (): Promise<Hex> => signer.writeContract(call)
    const sent = sending.then(send, send)
    sending = sent.catch(() => undefined)
    return await sent
  },
}
const facilitator = new x402Facilitator().register('eip155:84532', new ExactEvmScheme(oneByOne))

createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    answer(request.url ?? '', Buffer.concat(chunks)).then(send(200), (error: unknown) =>
      send(500)({ error: String(error) }),
    )
  })

  function send(status: number): (value: unknown) => void {
    return value => {
      const body = JSON.stringify(value)
      response
        .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
        .end(body)
    }
  }
}).listen({ port: Number(process.env['PORT']), host: '127.0.0.1' })

async function answer(path: string, body: Buffer): Promise<unknown> {
  if (path === '/supported') return facilitator.getSupported()
  if (path !== '/verify' && path !== '/settle') return {}
  const { paymentPayload, paymentRequirements } = JSON.parse(body.toString('utf8')) as {
    readonly paymentPayload: PaymentPayload
    readonly paymentRequirements: PaymentRequirements
  }
  return path === '/verify'
    ? await facilitator.verify(paymentPayload, paymentRequirements)
    : await facilitator.settle(paymentPayload, paymentRequirements)
}
