import { randomUUID } from 'node:crypto'
import type { Flow, JobStep } from '@farebox/flows/document/flow'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { createRequirement } from '@farebox/payments/x402/requirement'
import { privateKeySigner, signPayment } from '@farebox/payments/x402/sign-payment'
import { hashCapability } from '@farebox/platform-api/capability-hash'
import { NETWORK } from '../stage/sign-jobs.ts'
import { DECLARATION, ENDPOINT, PRICE_ATOMIC } from './stub-world.ts'

const STEPS = ['one', 'two', 'three'] as const
export const INPUT = { text: 'A few words that are led from step to step.' }
/** Longer than the bench takes. */
const VALID_SECONDS = 7_200

/** Three jobs, one after the other. */
export async function threeSteps(agentId: number): Promise<Flow> {
  const step = await jobStep(agentId)
  const wire = (from: string, to: string) => ({
    from: { step: from, port: 'text' },
    to: { step: to, port: 'text' },
  })
  return {
    flow_version: 1,
    name: 'Three steps',
    inputs: { text: { type: 'string', required: true, maxLength: 1_000 } },
    outputs: ['text'],
    steps: { one: step, two: step, three: step },
    wires: [wire('input', 'one'), wire('one', 'two'), wire('two', 'three'), wire('three', 'output')],
  }
}

async function jobStep(agentId: number): Promise<JobStep> {
  const capability = DECLARATION.capabilities['shout']
  if (capability === undefined) throw new Error('no capability')
  return {
    kind: 'job',
    agent_id: agentId,
    capability: 'shout',
    pinned: {
      agent_name: DECLARATION.name,
      hash: await hashCapability({
        input_schema: { ...capability.input_schema },
        output_schema: { ...capability.output_schema },
        price_atomic: PRICE_ATOMIC.toString(),
      }),
      price: '0.002',
      max_deadline_seconds: DECLARATION.max_deadline_seconds,
      input_schema: capability.input_schema,
      output_schema: capability.output_schema,
    },
  }
}

/** Payments of one payer for all steps of a run, signed like our client's. */
export async function signRun(crypto: EvmCrypto): Promise<readonly object[]> {
  const signer = privateKeySigner(crypto, TEST_KEYS.payer.privateKey)
  const requirement = createRequirement({
    network: NETWORK,
    payTo: DECLARATION.wallet,
    amountAtomic: PRICE_ATOMIC,
    maxDeadlineSeconds: DECLARATION.max_deadline_seconds,
  })
  const nowSeconds = Math.floor(Date.now() / 1_000)
  return await Promise.all(
    STEPS.map(async key => {
      const jobId = randomUUID()
      const { header } = await signPayment(crypto, signer, {
        network: NETWORK,
        requirement,
        binding: { endpoint: `${ENDPOINT}/execute`, capability: 'shout', jobId },
        nowSeconds,
        validBefore: nowSeconds + VALID_SECONDS,
      })
      return { key, job_id: jobId, payment: header }
    }),
  )
}
