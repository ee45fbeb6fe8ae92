import { systemClock, type Clock } from '@farebox/protocol/time/clock'
import type { Variables } from '../environment/read-environment.ts'
import { createAgent, type Agent } from '../agent/create-agent.ts'
import { defineAgent } from '../define-agent.ts'
import type { Handler } from '../handlers.ts'
import { createMemoryStore } from '../jobs/memory-store.ts'
import { createLog } from '../log.ts'
import { createFakeGate, type FakeGate } from '../testing/fake-gate.ts'

const socketDeclaration = defineAgent({
  service_version: '1.0',
  name: 'Socket',
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
})

/** An agent on its own port, with the machine's clock. */
export interface SocketStage {
  readonly agent: Agent
  readonly port: number
  readonly url: string
  readonly gate: FakeGate
  logs(): readonly string[]
}

export async function serveStage(
  options: {
    readonly dev?: boolean
    /** Default: a free port. */
    readonly port?: number
    readonly funded?: readonly string[]
    readonly handler?: Handler<{ text: string }, { text: string }>
    readonly variables?: Variables
    /** Default: the machine's clock. */
    readonly clock?: Clock
    readonly thisMachineOnly?: boolean
  } = {},
): Promise<SocketStage> {
  const lines: string[] = []
  const log = createLog({
    format: 'text',
    write: text => lines.push(...text.trimEnd().split('\n')),
    nowMs: systemClock.nowMs,
  })
  const gate = createFakeGate({ funded: options.funded ?? [] })
  const agent = await createAgent({
    declaration: socketDeclaration,
    handlers: { echo: options.handler ?? (({ text }) => ({ text })) },
    variables: {
      SERVICE_DEV_MODE: String(options.dev !== false),
      AGENT_WALLET_ADDRESS: '0x00000000000000000000000000000000000fa4e0',
      SERVICE_NETWORK: 'eip155:84532',
      ...options.variables,
    },
    ports: {
      log,
      ...(options.clock && { clock: options.clock }),
      paymentGate: gate,
      jobStore: {
        store: createMemoryStore(options.clock ?? systemClock),
        name: 'memory:',
        shared: false,
        close: () => Promise.resolve(),
      },
    },
  })
  const port = await agent.listen({
    port: options.port ?? 0,
    host: '127.0.0.1',
    thisMachineOnly: options.thisMachineOnly ?? false,
  })
  const logs = (): readonly string[] => {
    log.flush()
    return lines
  }
  return { agent, port, url: `http://127.0.0.1:${port}`, gate, logs }
}

/** A `POST /execute` as raw text. */
export function rawExecute(body: string, headers: readonly string[] = []): string {
  return (
    [
      'POST /execute HTTP/1.1',
      'Host: agent.test',
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...headers,
    ].join('\r\n') + `\r\n\r\n${body}`
  )
}

export function jobBody(text: string, jobId: string = crypto.randomUUID()): string {
  return JSON.stringify({
    service_version: '1.0',
    job_id: jobId,
    task: { input: { text } },
    deadline: Math.floor(systemClock.nowMs() / 1_000) + 25,
  })
}
