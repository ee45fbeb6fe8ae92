// Orders a job through a platform: requests the price, signs a payment for this job only, sends the order, and prints
// the receipt.
//
//   PAYER_KEY=0x… npx tsx examples/platform-order/order.ts http://localhost:4000 1 count '{"text":"hello world"}'

import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { findNetwork } from '@farebox/payments/networks'
import { privateKeySigner, signPayment } from '@farebox/payments/x402/sign-payment'
import { job, quote } from '@farebox/platform-api/jobs'

const [platform, agentId, capability, input = '{}'] = process.argv.slice(2)
const key = process.env['PAYER_KEY'] ?? ''
if (capability === undefined || !/^0x[0-9a-f]{64}$/i.test(key)) {
  console.error(
    'usage: PAYER_KEY=0x<64 hex digits> npx tsx order.ts <platform> <agent id> <capability> [input]',
  )
  process.exit(2)
}

// The platform requests the agent's current price and compares it with the registered one.
const price = quote.parse(await post('/v1/quotes', { agent_id: Number(agentId), capability }))
const network = findNetwork(price.network)
if (network === undefined) throw new Error(`no such network: ${price.network}`)
console.error(`${price.amount} USDC to ${price.pay_to}`)

// Bound to this job by its nonce: the same payment is good for no other. The platform passes it on and cannot spend it.
const jobId = randomUUID()
const crypto = await loadEvmCrypto()
const payment = await signPayment(crypto, privateKeySigner(crypto, key), {
  network,
  requirement: price.payment_requirement,
  binding: { endpoint: price.endpoint, capability, jobId },
  nowSeconds: Date.now() / 1_000,
})

// Keep the order until its job has ended: the same order again is the same job, and is paid for once.
const order = {
  agent_id: Number(agentId),
  capability,
  job_id: jobId,
  input: JSON.parse(input) as object,
  deadline: Math.floor(Date.now() / 1_000) + price.max_deadline_seconds,
  payment: payment.header,
}
const done = job.parse(await post('/v1/jobs', order))
console.error(`${done.status}, ${done.charged ? `charged in ${done.payment.transaction}` : 'not charged'}`)
if (done.error !== null) console.error(done.error)
if (done.output !== null) console.log(JSON.stringify(done.output))
if (done.receipt !== null) await writeFile('receipt.jws', `${done.receipt}\n`)

async function post(path: string, body: object): Promise<unknown> {
  const answer = await fetch(`${platform}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  if (answer.status >= 400) throw new Error(`${path}: HTTP ${answer.status} ${text}`)
  return JSON.parse(text)
}
