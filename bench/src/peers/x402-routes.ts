import { HTTPFacilitatorClient, x402ResourceServer, type RoutesConfig } from '@x402/core/server'
import { ExactEvmScheme } from '@x402/evm/exact/server'

/** The work of both x402 servers: that of our agent's handler. */
export function createEcho(): (text: string) => {
  readonly output: { readonly text: string; readonly run: number }
} {
  let runs = 0
  return text => {
    runs += 1
    return { output: { text, run: runs } }
  }
}

/** The same price, wallet and network as our agent's. */
export const ROUTES: RoutesConfig = {
  'POST /execute': {
    accepts: { scheme: 'exact', price: '$0.01', network: 'eip155:84532', payTo: process.env['PAY_TO'] ?? '' },
    description: 'echo: Gives a text back.',
    mimeType: 'application/json',
  },
}

/** The x402 project's server half, asking the facilitator over HTTP. */
export function createResourceServer(): x402ResourceServer {
  return new x402ResourceServer(
    new HTTPFacilitatorClient({ url: process.env['FACILITATOR_URL'] ?? '' }),
  ).register('eip155:84532', new ExactEvmScheme())
}

/** A job request, as far as these servers read it. */
export interface EchoRequest {
  readonly task: { readonly input: { readonly text: string } }
}
