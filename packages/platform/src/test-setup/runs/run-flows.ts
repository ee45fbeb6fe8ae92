import { randomBytes, randomUUID } from 'node:crypto'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import type { Flow, JobStep, Step, Wire } from '@farebox/flows/document/flow'
import type { RunAnswer, RunPayment, RunRequest, RunStarted } from '@farebox/platform-api/flows/runs'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { until } from '@farebox/protocol/src/test-setup/until'
import { readUsdc } from '@farebox/protocol/money/usdc'
import { describeCapability } from '../../agent-pages/describe-capability.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import type { answersAsDocumented } from '../answers-as-documented.ts'
import { signOrder } from './job-orders.ts'

/** An agent that steps order from. */
export interface StepAgent {
  readonly agentId: number
  readonly url: string
  readonly declaration: Declaration
}

/** A step that orders the first capability of an agent, pinned to the agent's declaration. */
export async function jobStep(
  { agentId, declaration }: StepAgent,
  changes: Partial<JobStep> = {},
): Promise<JobStep> {
  const [[name, capability] = []] = Object.entries(declaration.capabilities)
  if (name === undefined || capability === undefined) throw new Error('no capability')
  const { hash, price } = await describeCapability(name, capability)
  return {
    kind: 'job',
    agent_id: agentId,
    capability: name,
    pinned: {
      agent_name: declaration.name,
      hash,
      price,
      max_deadline_seconds: declaration.max_deadline_seconds,
      input_schema: capability.input_schema,
      output_schema: capability.output_schema,
    },
    ...changes,
  }
}

/** A flow of these steps; wires are written as `a.words > b.text`. */
export function flowOf(steps: { readonly [id: string]: Step }, wires: readonly string[]): Flow {
  const read = (text: string): Wire['from'] => {
    const [step = '', port = ''] = text.trim().split('.')
    return { step, port }
  }
  const joined = wires.map(wire => {
    const [from = '', to = ''] = wire.split('>')
    return { from: read(from), to: read(to) }
  })
  const outputs = joined.flatMap(({ to }) => (to.step === 'output' ? [to.port] : []))
  return {
    flow_version: 1,
    name: 'Counting',
    inputs: { text: { type: 'string', required: true, maxLength: 100 } },
    outputs,
    steps,
    wires: joined,
  }
}

/** Signs a payment for one job of a run. */
export async function signStep(
  parts: PlatformParts,
  agent: StepAgent,
  key: string,
  changes: { readonly validSeconds?: number; readonly payerKey?: string; readonly amount?: string } = {},
): Promise<RunPayment> {
  const jobId = randomUUID()
  const [[capability, declared] = ['']] = Object.entries(agent.declaration.capabilities)
  const price = readUsdc(changes.amount ?? declared?.pricing.amount ?? '')
  if (!price.ok) throw new Error(price.reason)
  const { payment } = await signOrder(parts, {
    endpoint: agent.url,
    agentId: agent.agentId,
    capability,
    amountAtomic: price.atomic,
    payTo: agent.declaration.wallet,
    jobId,
    payerKey: changes.payerKey ?? TEST_KEYS.payer.privateKey,
    validSeconds: changes.validSeconds ?? 900,
  })
  return { key, job_id: jobId, payment }
}

/** Starts runs as a payer, through the platform's own routes. */
export interface RunsByHand {
  start(
    flow: Flow,
    given?: Partial<RunRequest>,
    headers?: { readonly [name: string]: string },
  ): Promise<HandledRun>
}

/** A run, and the actions of its payer. */
export interface HandledRun {
  readonly runId: string
  readonly token: string
  read(): Promise<RunAnswer>
  /** Reads the run repeatedly until the condition holds. */
  until(isSo: (run: RunAnswer) => boolean): Promise<RunAnswer>
  pay(...payments: readonly RunPayment[]): Promise<{ readonly status: number; readonly body: unknown }>
  /** Sends an action (`pause`, `retry`, …) with the body of its route. */
  tell(word: string, body?: object): Promise<{ readonly status: number; readonly body: unknown }>
}

/** Creates a client that starts and follows runs through an app's routes. */
export function runsThrough(ask: ReturnType<typeof answersAsDocumented>): RunsByHand {
  return {
    async start(flow, given = {}, headers = {}) {
      const token = randomBytes(32).toString('base64url')
      const payload = { flow, input: { text: 'two words' }, max_total: '1', run_token: token, ...given }
      const answer = await ask({ method: 'POST', url: '/v1/runs', payload, headers })
      if (answer.statusCode !== 200) throw new Error(`HTTP ${answer.statusCode}: ${answer.body}`)
      return handle(ask, answer.json<RunStarted>().run_id, token)
    },
  }
}

function handle(ask: ReturnType<typeof answersAsDocumented>, runId: string, token: string): HandledRun {
  const headers = { 'run-token': token }
  const url = `/v1/runs/${runId}`
  const read = async (): Promise<RunAnswer> => {
    for (;;) {
      const answer = await ask({ method: 'GET', url, headers })
      // Reading many runs at once exceeds the rate limit of one address.
      if (answer.statusCode !== 429 && answer.statusCode !== 503) return answer.json()
      await new Promise(resolve => setTimeout(resolve, 200))
    }
  }
  return {
    runId,
    token,
    read,
    until: isSo =>
      until(async () => {
        const run = await read()
        return isSo(run) && run
      }, 30),
    async pay(...payments) {
      const answer = await ask({ method: 'PUT', url: `${url}/payments`, headers, payload: { payments } })
      return { status: answer.statusCode, body: answer.json() }
    },
    async tell(word, body) {
      const request = { method: 'POST', url: `${url}/${word}`, headers } as const
      const answer = await ask(body === undefined ? request : { ...request, payload: body })
      return { status: answer.statusCode, body: answer.json() }
    },
  }
}
