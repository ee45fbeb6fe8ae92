import { createServer } from 'node:http'

/** A facilitator that parses its requests and accepts at once, without holds or proofs. */
const TRANSACTION = `0x${'ab'.repeat(32)}`

const ANSWERS: { readonly [path: string]: Buffer } = {
  '/supported': json({
    kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:84532' }],
    extensions: ['farebox-hold'],
    signers: {},
  }),
  '/verify': json({
    isValid: true,
    payer: '',
    extensions: { 'farebox-hold': { holdId: 'hold', holdUntil: 4_102_444_800 } },
  }),
  '/settle': json({ success: true, transaction: TRANSACTION, network: 'eip155:84532', payer: '' }),
}

createServer((request, response) => {
  const answer = ANSWERS[request.url ?? '']
  request.resume().on('end', () => {
    const body = answer ?? json({})
    response.writeHead(answer === undefined ? 404 : 200, {
      'content-type': 'application/json',
      'content-length': body.length,
    })
    response.end(body)
  })
}).listen({ port: Number(process.env['PORT']), host: '127.0.0.1' })

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value))
}
