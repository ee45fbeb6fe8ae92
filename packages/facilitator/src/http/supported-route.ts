import { HOLD_EXTENSION, type SupportedResponse } from '@farebox/payments/x402/facilitator-api'
import type { Network } from '@farebox/payments/networks'
import type { FastifyInstance } from 'fastify'

/** `GET /supported`: the payment kinds that are settled here, and the accounts that settle them (x402). Needs no secret. */
export function addSupportedRoute(app: FastifyInstance, network: Network, relayers: readonly string[]): void {
  const answer: SupportedResponse = {
    kinds: [{ x402Version: 2, scheme: 'exact', network: network.id }],
    extensions: [HOLD_EXTENSION],
    signers: { [network.id]: relayers },
  }
  app.get('/supported', async (_, reply) => await reply.send(answer))
}
