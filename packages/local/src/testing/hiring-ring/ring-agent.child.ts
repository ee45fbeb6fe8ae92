import { createHash } from 'node:crypto'
import { createAgent, isHireError, openJobStore, systemClock, type JobContext } from 'farebox'
import { Redis } from 'ioredis'
import { LAP_PRICES, ringDeclaration } from './ring-declaration.ts'

// One replica of one agent of the ring. It records in Redis which orders it sends, and omits the path in half of them, as
// an untrusted agent may.

const [, , name = '', nextUrl = '', orders = ''] = process.argv
const redis = new Redis(process.env['SERVICE_STORE'] ?? '')
const send = globalThis.fetch
globalThis.fetch = async (url, init) => {
  const headers = new Headers(init?.headers)
  const payment = headers.get('payment-signature')
  if (payment === null || typeof init?.body !== 'string') return await send(url, init)
  const { job_id } = JSON.parse(init.body) as { readonly job_id: string }
  await redis.sadd(orders, `${job_id} ${createHash('sha256').update(payment).digest('hex')}`)
  if (Number.parseInt(job_id.slice(-1), 16) % 2 === 0) headers.delete('hire-path')
  return await send(url, { ...init, headers })
}

/** One job in a hundred fails after the agent has paid another one; that payment is lost. */
function failsAfterwards(jobId: string): boolean {
  return createHash('sha256').update(jobId).digest().readUInt32BE(0) % 100 === 0
}

const lap = (number: number) => async (_: object, context: JobContext) => {
  const { jobId, hire } = context
  try {
    const { output } = await hire(nextUrl, `lap${number + 1}`, {})
    if (failsAfterwards(jobId)) throw new Error('fails after it has hired')
    return { hires: Number(output['hires']) + 1, end: String(output['end']) }
  } catch (error) {
    if (!isHireError(error)) throw error
    return { hires: 0, end: error.problem }
  }
}
const handlers = Object.fromEntries(LAP_PRICES.map((_, number) => [`lap${number}`, lap(number)]))
const agent = await createAgent({
  declaration: ringDeclaration(name),
  handlers,
  ports: { jobStore: await openJobStore(process.env['SERVICE_STORE'] ?? '', systemClock) },
})
const port = await agent.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`${JSON.stringify({ event: 'listening', port })}\n`)
process.on('SIGTERM', () => {
  void agent.close().then(() => process.exit(0))
})
