import { checkFlow } from '@farebox/flows/check/check-flow'
import type { Flow, Step } from '@farebox/flows/document/flow'
import { buildGraph } from '@farebox/flows/graph/graph'
import { randomFlow, type Random } from '@farebox/flows/src/test-setup/random-flow'
import type { RunAnswer, RunWaiting } from '@farebox/platform-api/flows/runs'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { describeCapability } from '../../agent-pages/describe-capability.ts'
import type { AgentReply, PaidCall } from '../network/chain-agent.ts'
import type { StepAgent } from './run-flows.ts'

const text = { type: 'string' } as const

/** The declaration of an agent for random flows: the same work at nine prices. */
export function declareWork(name: string, wallet: string): Declaration {
  const capabilities = Object.fromEntries(
    Array.from({ length: 9 }, (_, index) => [
      `p${index + 1}`,
      {
        description: 'Works',
        pricing: { model: 'per_job', amount: `0.00${index + 1}`, currency: 'USDC' } as const,
        input_schema: { a: { ...text, required: true }, b: text },
        output_schema: { x: text, y: { ...text, required: false } },
      },
    ]),
  )
  return { service_version: '1.0', name, description: '', wallet, max_deadline_seconds: 5, capabilities }
}

/** A random flow without errors, with at least one paid step; each paid step orders from one of these agents. */
export async function randomWork(random: Random, agents: readonly StepAgent[]): Promise<Flow> {
  for (;;) {
    const flow = randomFlow(random)
    const steps: { [id: string]: Step } = {}
    for (const [id, step] of Object.entries(flow.steps)) steps[id] = await pinned(random, agents, step)
    const real = { ...flow, steps }
    const hasJob = Object.values(steps).some(({ kind }) => kind === 'job')
    if (hasJob && checkFlow(real).ok) return real
  }
}

async function pinned(random: Random, agents: readonly StepAgent[], step: Step): Promise<Step> {
  if (step.kind === 'wait') return { ...step, seconds: 1 }
  if (step.kind !== 'job') return step
  const agent = agents[random(agents.length)] ?? agents[0]
  const name = `p${step.pinned.price.slice(-1)}`
  const capability = agent?.declaration.capabilities[name]
  if (agent === undefined || capability === undefined) throw new Error(`no capability ${name}`)
  const { hash, price } = await describeCapability(name, capability)
  const { declaration, agentId } = agent
  return {
    ...step,
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
  }
}

/**
 * Creates the handler of an agent for random flows. Its output depends only on its input, so that inputs can be
 * checked. An honest agent delivers a job that it has charged when the job is sent again.
 */
export function behaveByChance(random: Random, isLiar: boolean): (call: PaidCall) => Promise<AgentReply> {
  const charged = new Set<string>()
  const settle = (call: PaidCall): Promise<string> => {
    charged.add(call.jobId)
    return call.settle()
  }
  return async call => {
    const { task } = JSON.parse(call.body) as { readonly task: { readonly input: { readonly a: string } } }
    const { a } = task.input
    const output = { x: `x${a.length % 10}`, ...(a.length % 3 > 0 && { y: `y${a}`.slice(0, 20) }) }
    const choice = random(100)
    if (isLiar && choice < 30) return call.complete(await settle(call), { x: 7 })
    if (charged.has(call.jobId) && !isLiar) return call.complete(await settle(call), output)
    if (choice < 10) return { status: 500, body: FAILURE }
    if (choice < 16) return 'reset'
    if (choice < 22) {
      await settle(call)
      return 'reset'
    }
    if (choice < 30) await new Promise(resolve => setTimeout(resolve, 500 + random(1_500)))
    return call.complete(await settle(call), output)
  }
}

const FAILURE = { status: 'failed', error_type: 'internal', error: 'Internal error' } as const

/** The inconsistencies of a run in any state, each as one sentence. */
export function problemsOf(run: RunAnswer): readonly string[] {
  const problems: string[] = []
  const isEnded = run.status === 'completed' || run.status === 'failed' || run.status === 'cancelled'
  if (!isEnded && run.waiting.length === 0) problems.push(`${run.status}, and waits for nothing`)
  if (run.status === 'completed' && run.exposed !== '0')
    problems.push(`completed with ${run.exposed} exposed`)
  // The flow was checked when it was created.
  const flow = run.flow as unknown as Flow
  const graph = buildGraph(flow)
  const outputs = new Map(run.steps.map(({ step, outputs: of }) => [step, of]))
  for (const { step, state, jobs } of run.steps) {
    const declared = flow.steps[step]
    if (declared?.kind !== 'job') continue
    for (const job of jobs) {
      const wasSent = job.attempt > 0 || job.state === 'done'
      if (wasSent && declared.map === undefined) {
        const source = graph.wireTo({ step, port: 'a' })?.from
        const came =
          source?.step === 'input'
            ? run.input[source.port]
            : outputs.get(source?.step ?? '')?.[source?.port ?? '']
        // Numbers and booleans are converted to text (D19).
        const isSame = job.input?.['a'] === came || job.input?.['a'] === JSON.stringify(came)
        if (source !== undefined && !isSame)
          problems.push(`${job.key} was ordered with what its source did not give`)
      }
      if (state === 'done' && job.payment?.state !== 'paid') problems.push(`${job.key} is done and not paid`)
    }
  }
  return problems
}

/** Whether a payer who pays for nothing twice can do nothing more about it. */
export function isStuck(waiting: RunWaiting, tries: ReadonlyMap<string, number>): boolean {
  if (waiting.for === 'payment')
    return waiting.because.kind === 'charged' || (tries.get(waiting.key) ?? 0) >= 8
  if (waiting.for === 'retry') return (tries.get(waiting.key) ?? 0) >= 8
  return false
}
