// Answers for the agents that take no jobs: what a platform asks of an agent that it lists and checks, and a 402 for jobs.
// Each is known by its host name, and all are paid to one wallet.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { findNetwork } from '@farebox/payments/networks'
import {
  createRequirement,
  paymentRequiredBody,
  paymentRequiredHeader,
} from '@farebox/payments/x402/requirement'

const { WALLET, NETWORK, CERTIFICATE } = process.env
const pem = readFileSync(CERTIFICATE)
const declaration = name => ({
  service_version: '1.0',
  name,
  description: 'Is listed and checked, and takes no jobs.',
  wallet: WALLET,
  max_deadline_seconds: 60,
  capabilities: {
    note: {
      description: 'Says the text back.',
      pricing: { model: 'per_job', amount: '0.01', currency: 'USDC' },
      input_schema: { text: { type: 'string', required: true } },
      output_schema: { text: { type: 'string' } },
    },
  },
})
const requirement = createRequirement({
  network: findNetwork(NETWORK),
  payTo: WALLET,
  amountAtomic: 10_000n,
  maxDeadlineSeconds: 60,
})

const server = createServer({ key: pem, cert: pem }, (request, response) => {
  const name = request.headers.host.split('.')[0]
  const answer = (status, body, headers = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  request.resume().on('end', () => {
    if (request.url === '/health') return answer(200, { name, version: '1.0', status: 'ok' })
    if (request.url === '/about') return answer(200, declaration(name))
    const resource = { url: `https://${request.headers.host}/execute`, capability: 'note', description: '' }
    const headers = { 'payment-required': paymentRequiredHeader(requirement, resource) }
    answer(402, paymentRequiredBody(requirement, { agent: name, capability: 'note' }), headers)
  })
})
server.listen(443, () => console.log('"event":"listening"'))
