import { randomUUID } from 'node:crypto'
import { jobBody, post, signFor } from '../../../../e2e/stage/pay.ts'
import { setStage, type Stage } from '../../../../e2e/stage/stage.ts'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import type { Score } from '../../battery.ts'
import type { Attack, AttackRun } from '../attack.ts'
import { dripRequests, type DripOptions } from './drip-requests.ts'
import { checkMemory } from './check-memory.ts'
import { createMemoryReader, type MemoryReader } from './read-memory.ts'

/** One server, and the request that is begun at it. */
interface Target {
  readonly name: string
  readonly pid: number
  readonly request: Pick<DripOptions, 'url' | 'headers'>
}

const PRICE = '0.002'

/** Few enough to be read as a whole everywhere, and more than a body of any server of ours may have. */
const CHUNKS_EACH = [40_000, 1_200_000] as const

/** Row 1 of the attacks on record, at our three servers. */
export const oneByteRequests: Attack = {
  id: 'B1',
  rule: 'A request body takes at most 3 times its bytes and 256 KiB a connection.',
  title: 'bodies in one-byte chunks at each server',
  needs: [],
  async run(run) {
    const memory = await createMemoryReader()
    const stage = await setStage()
    try {
      const targets = await startTargets(stage, memory)
      await warmUp(stage, targets)
      const scores: Score[] = []
      for (const target of targets)
        for (const chunks of CHUNKS_EACH) scores.push(await attack(target, chunks, memory, run))
      return scores
    } finally {
      await stage.strike()
      await memory.close()
    }
  },
}

async function startTargets(stage: Stage, { environment }: MemoryReader): Promise<readonly Target[]> {
  const facilitator = await stage.facilitator({ environment })
  const platform = await stage.platform({ facilitator, environment })
  const wallet = TEST_KEYS.agent.address
  const secret = await stage.secret(facilitator, [wallet])
  const agent = await stage.agent({
    config: 'examples/text-statistics/agent.json',
    facilitator,
    secret,
    name: 'agent',
    store: 'memory:',
    environment,
  })
  const bearer = (value: string): readonly string[] => [`Authorization: Bearer ${value}`]
  return [
    { name: 'agent', pid: agent.pid, request: { url: `${agent.url}/execute` } },
    {
      name: 'facilitator without a secret',
      pid: facilitator.pid,
      request: { url: `${facilitator.url}/verify` },
    },
    {
      name: 'facilitator with a secret',
      pid: facilitator.pid,
      request: { url: `${facilitator.url}/verify`, headers: bearer(secret) },
    },
    { name: 'platform', pid: platform.pid, request: { url: `${platform.url}/v1/jobs` } },
  ]
}

/**
 * A program loads some megabytes with its first work, once: the agent its client of the facilitator, for one. A paid job and
 * a short body at each, so that what is measured afterwards is what bodies take.
 */
async function warmUp(stage: Stage, targets: readonly Target[]): Promise<void> {
  const [agent] = targets
  const header = await signFor(stage, { payTo: TEST_KEYS.agent.address, price: PRICE })
  const url = agent?.request.url.replace('/execute', '') ?? ''
  const { status } = await post(url, jobBody(randomUUID(), { text: 'two words' }), header)
  if (status !== 200) throw new Error(`a paid job was answered ${status}`)
  for (const { request } of targets) (await dripRequests({ ...request, connections: 1, chunks: 10 })).end()
}

async function attack(
  { name, pid, request }: Target,
  chunks: number,
  memory: MemoryReader,
  { size, signal }: AttackRun,
): Promise<Score> {
  signal.throwIfAborted()
  const connections = size === 'small' ? 4 : 20
  const before = await memory.readSettled(pid)
  const drips = await dripRequests({ ...request, connections, chunks })
  const after = await memory.readSettled(pid)
  drips.end()
  const test = `${name}, ${connections} bodies of ${chunks} chunks`
  return checkMemory({ test, before, after, connections, bytes: drips.sent })
}
