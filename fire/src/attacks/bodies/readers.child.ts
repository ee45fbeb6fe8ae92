import { connectionOf } from '@farebox/client/exchange/client-options'
import { exchange } from '@farebox/client/src/exchange/exchange'
import { createFacilitatorClient } from '@farebox/payments/x402/facilitator-client'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import { createOutbound } from '@farebox/platform/outbound/outbound'
import { runConformance } from '@farebox/conformance/agent'
import { serveFixture } from '@farebox/conformance/serve-fixture'
import { HANG_MS } from '../../storms/stage/managed-process.ts'

const MAX_BYTES = 5_242_880

/** Every part of ours that reads data of an untrusted host; each starts to read from a URL and never needs to end. */
const READERS: { readonly [name: string]: (url: string) => Promise<void> } = {
  'the client': async url => {
    await exchange(connectionOf({}), { url, method: 'GET', timeoutMs: HANG_MS, maxBytes: MAX_BYTES })
  },
  "the agent's facilitator client": async url => {
    await createFacilitatorClient({ url, secret: 'secret' }).supported({ timeoutMs: HANG_MS })
  },
  'the JSON-RPC client': async url => {
    await createJsonRpc(url).call('eth_chainId', [], { timeoutMs: HANG_MS })
  },
  "the platform's outbound calls": async url => {
    const outbound = createOutbound({ localMode: true })
    await outbound.send({ url, method: 'POST', body: '{}', maxBytes: MAX_BYTES, timeoutMs: HANG_MS })
  },
  'the conformance kit': async url => {
    for await (const _ of runConformance({ baseUrl: url, mode: 'dev', only: ['health'] })) continue
  },
  "the agent's fetch door": async url => {
    // The hostile answer is forwarded as a request's body.
    const { body } = await fetch(url)
    const { agent } = await serveFixture('dev')
    await agent.fetch(
      new Request('http://agent.example/execute', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        duplex: 'half',
      }),
    )
  },
}

/** The reader to test, its URL, and the number of concurrent reads. */
export interface ReadOrder {
  readonly name: string
  readonly url: string
  readonly count: number
}

// A separate process, so that the reader is measured and not the server it reads from. It sends its list of readers
// when it is ready, and a message when all reads of an order have ended, with any result.
process.once('disconnect', () => process.exit(0))
process.on('message', ({ name, url, count }: ReadOrder) => {
  const reading = Array.from({ length: count }, async () => await READERS[name]?.(url))
  void Promise.allSettled(reading).then(() => process.send?.('ended'))
})
process.send?.(Object.keys(READERS))
