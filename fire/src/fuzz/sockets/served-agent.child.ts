import { createAgent, systemClock, type JsonObject } from 'farebox'
import { createFakeGate } from 'farebox/testing'
import { NO_LOG, variablesOf } from '../run/fuzz-stage.ts'

// A paid agent by the machine's clock; nobody has money. In a process of its own, so that what is measured is the
// agent and not its attackers.
const agent = await createAgent({
  declaration: {
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
  },
  handlers: { echo: ({ text }: JsonObject) => ({ text: String(text) }) },
  variables: variablesOf('paid'),
  ports: { clock: systemClock, log: NO_LOG, paymentGate: createFakeGate({ funded: [] }) },
})
process.send?.(await agent.listen({ port: 0, host: '127.0.0.1' }))
process.once('disconnect', () => void agent.close().then(() => process.exit(0)))
