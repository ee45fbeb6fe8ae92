import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { fund } from '@farebox/local/chain/faucet'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { createRequirement } from '@farebox/payments/x402/requirement'
import { privateKeySigner, signPayment } from '@farebox/payments/x402/sign-payment'
import { createAgent, createLog, defineAgent, systemClock, type Agent } from 'farebox'
import type { Score } from '../../battery.ts'
import type { Attack, AttackRun } from '../attack.ts'
import { startNodesStage, type NodesStage } from './nodes-stage.ts'

const PRICE_ATOMIC = 1_000n
const MAX_DEADLINE_SECONDS = 20
const ENDPOINT = 'http://agent.test/execute'

const declaration = defineAgent({
  service_version: '1.0',
  name: 'Clocked',
  description: 'Waits as long as it is asked to.',
  wallet: '${AGENT_WALLET_ADDRESS}',
  max_deadline_seconds: MAX_DEADLINE_SECONDS,
  capabilities: {
    wait: {
      description: 'Waits.',
      pricing: { model: 'per_job', amount: '0.001', currency: 'USDC' },
      input_schema: { ms: { type: 'number', required: true } },
      output_schema: { ms: { type: 'number' } },
    },
  },
})

/** The agent's own clock is wrong, in either direction; its facilitator's is right. */
export const agentClock: Attack = {
  name: 'an agent whose clock is five minutes off',
  before:
    '+300 s: 11 of 11 good payments answered 402 or 408, nothing of it in the log; −300 s: 5 of 5 jobs charged after their deadline',
  async run({ size }: AttackRun): Promise<readonly Score[]> {
    const stage = await startNodesStage()
    try {
      const jobs = size === 'small' ? 3 : 10
      return [...(await aheadScores(stage, jobs)), ...(await behindScores(stage, size === 'small' ? 2 : 5))]
    } finally {
      await stage.stop()
    }
  },
}

async function aheadScores(stage: NodesStage, jobs: number): Promise<readonly Score[]> {
  const staged = await stageAgent(stage)
  try {
    staged.clock.aheadMs = 300_000
    const statuses: number[] = []
    for (let job = 0; job < jobs; job += 1)
      statuses.push((await order(stage, staged.agent, { deadlineSeconds: 20, ms: 0 })).status)
    // Set back, and once more while it runs: nothing was heard yet by the clock as it is then.
    staged.clock.aheadMs = 0
    const right = await order(stage, staged.agent, { deadlineSeconds: 20, ms: 0 })
    staged.clock.aheadMs = 300_000
    statuses.push((await order(stage, staged.agent, { deadlineSeconds: 20, ms: 0 })).status)
    const blamed = statuses.filter(status => status === 402 || status === 408).length
    return [
      {
        test: '+300 s: payers told that they are too late',
        reached: `${blamed} of ${statuses.length} (answers ${[...new Set(statuses)].join(', ')})`,
        target: 'none',
        isMet: blamed === 0,
      },
      {
        test: '+300 s: the clock is named in the log',
        reached: `${staged.named()} times`,
        target: 'once, or twice where it was right in between',
        isMet: staged.named() >= 1 && staged.named() <= 2,
      },
      {
        test: 'set right: the next job',
        reached: `HTTP ${right.status}`,
        target: 'HTTP 200',
        isMet: right.status === 200,
      },
    ]
  } finally {
    await staged.agent.close()
  }
}

/** A handler that takes longer than the caller waits: charged after the deadline, where the clock is behind. */
async function behindScores(stage: NodesStage, jobs: number): Promise<readonly Score[]> {
  const staged = await stageAgent(stage)
  try {
    staged.clock.aheadMs = -300_000
    let charged = 0
    for (let job = 0; job < jobs; job += 1) {
      const { status } = await order(stage, staged.agent, { deadlineSeconds: 3, ms: 5_000 })
      if (status === 200) charged += 1
    }
    return [
      {
        test: '−300 s: jobs charged after their deadline',
        reached: `${charged} of ${jobs}`,
        target: 'none',
        isMet: charged === 0,
      },
    ]
  } finally {
    await staged.agent.close()
  }
}

interface StagedAgent {
  readonly agent: Agent
  readonly clock: { aheadMs: number }
  /** How often the log named the clock. */
  named(): number
}

async function stageAgent(stage: NodesStage): Promise<StagedAgent> {
  const clock = { aheadMs: 0 }
  const lines: string[] = []
  const log = createLog({ format: 'text', write: text => lines.push(text), nowMs: () => Date.now() })
  const agent = await createAgent({
    declaration,
    handlers: {
      async wait({ ms }) {
        await delay(ms)
        return { ms }
      },
    },
    variables: {
      SERVICE_DEV_MODE: 'false',
      SERVICE_STORE: 'memory:',
      SERVICE_NETWORK: stage.network.id,
      AGENT_WALLET_ADDRESS: TEST_KEYS.agent.address,
      FACILITATOR_URL: stage.facilitator.url,
      FACILITATOR_SECRET: stage.facilitator.secret,
    },
    ports: { clock: { ...systemClock, nowMs: () => Date.now() + clock.aheadMs }, log },
  })
  return {
    agent,
    clock,
    named() {
      log.flush()
      return lines.join('').match(/^warning: this agent's clock is \d+ s (?:ahead|behind)/gm)?.length ?? 0
    },
  }
}

/** A job by a payer of its own, whose clock is right. */
async function order(
  stage: NodesStage,
  agent: Agent,
  { deadlineSeconds, ms }: { readonly deadlineSeconds: number; readonly ms: number },
): Promise<Response> {
  const signer = privateKeySigner(stage.crypto, `0x${randomBytes(32).toString('hex')}`)
  await fund(stage.chain, signer.address, { usdcAtomic: PRICE_ATOMIC })
  const jobId = randomUUID()
  const nowSeconds = Date.now() / 1_000
  const { header } = await signPayment(stage.crypto, signer, {
    network: stage.network,
    requirement: createRequirement({
      network: stage.network,
      payTo: TEST_KEYS.agent.address,
      amountAtomic: PRICE_ATOMIC,
      maxDeadlineSeconds: MAX_DEADLINE_SECONDS,
    }),
    binding: { endpoint: ENDPOINT, capability: 'wait', jobId },
    nowSeconds,
  })
  return await agent.fetch(
    new Request(ENDPOINT, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'payment-signature': header },
      body: JSON.stringify({
        service_version: '1.0',
        job_id: jobId,
        task: { capability: 'wait', input: { ms } },
        deadline: Math.floor(nowSeconds) + deadlineSeconds,
      }),
    }),
  )
}
