import { createAgent, systemClock, type Agent, type Declaration, type JsonObject } from 'farebox'
import { createFakeGate } from 'farebox/testing'
import { NETWORK_ID, WALLET } from '../run/fuzz-stage.ts'

const DECLARATION: Declaration = {
  service_version: '1.0',
  name: 'Served',
  description: 'Says it back.',
  wallet: '${AGENT_WALLET_ADDRESS}',
  max_deadline_seconds: 30,
  capabilities: {
    echo: {
      description: 'Says it back.',
      pricing: { model: 'per_job', amount: '0.01', currency: 'USDC' },
      input_schema: { text: { type: 'string', required: true } },
      output_schema: { text: { type: 'string' } },
    },
  },
}

/** A paid agent on a port of its own, by the machine's clock; nobody has money. */
export async function serveAgent(): Promise<{ readonly agent: Agent; readonly port: number }> {
  const agent = await createAgent({
    declaration: DECLARATION,
    handlers: { echo: ({ text }: JsonObject) => ({ text: String(text) }) },
    variables: {
      SERVICE_DEV_MODE: 'false',
      AGENT_WALLET_ADDRESS: WALLET,
      SERVICE_NETWORK: NETWORK_ID,
      SERVICE_STORE: 'memory:',
    },
    ports: {
      clock: systemClock,
      log: { job: () => undefined, note: () => undefined, warn: () => undefined, flush: () => undefined },
      paymentGate: createFakeGate({ funded: [] }),
    },
  })
  return { agent, port: await agent.listen({ port: 0, host: '127.0.0.1' }) }
}
