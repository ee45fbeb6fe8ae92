import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { jobBody, post, signFor } from '../../../../e2e/stage/pay.ts'
import { setStage, type Stage } from '../../../../e2e/stage/stage.ts'
import type { Score } from '../../battery.ts'
import type { Attack } from '../attack.ts'
import { drip, sum } from './drip.ts'
import { createMemoryReader, measureBodies, type MemoryReader } from './measure.ts'

/** A server, and the request that is started at it. */
interface Target {
  readonly name: string
  readonly pid: number
  readonly url: string
  readonly secret?: string
}

const PRICE = '0.002'

/** Small enough to be read completely everywhere, and larger than the maximum body of any of our servers. */
const CHUNKS_EACH = [40_000, 1_200_000] as const

/** The attack on each of our three servers. */
export const oneByteRequests: Attack = {
  id: 'B1',
  rule: 'A request body takes at most 3 times its bytes and 256 KiB a connection.',
  title: 'bodies in one-byte chunks at each server',
  async run({ size, signal }) {
    const connections = size === 'small' ? 1 : 20
    const memory = await createMemoryReader()
    const stage = await setStage()
    try {
      const targets = await startTargets(stage, memory)
      // A program loads some megabytes with its first work, once; they are not measured.
      for (const target of targets) (await dripRequests(target, 1, 10)).end()
      const scores: Score[] = []
      for (const target of targets)
        for (const chunks of CHUNKS_EACH) {
          signal.throwIfAborted()
          const test = `${target.name}, ${connections} bodies of ${chunks} chunks`
          scores.push(await measureTarget(memory, target, { test, connections, chunks }))
        }
      return scores
    } finally {
      await stage.strike()
      await memory.close()
    }
  },
}

/** Code loaded with late work is loaded once; memory for bodies is held each time. */
const PASSES = 3

async function measureTarget(
  memory: MemoryReader,
  target: Target,
  {
    test,
    connections,
    chunks,
  }: { readonly test: string; readonly connections: number; readonly chunks: number },
): Promise<Score> {
  for (let pass = 1; ; pass += 1) {
    let end = (): void => undefined
    const score = await measureBodies(memory, { test, pid: target.pid, connections }, async () => {
      const drips = await dripRequests(target, connections, chunks)
      end = drips.end
      return drips.bytes
    })
    end()
    if (score.isMet || pass === PASSES) return score
  }
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
  // The agent loads its facilitator client with its first paid job.
  const header = await signFor(stage, { payTo: wallet, price: PRICE })
  const { status } = await post(agent.url, jobBody(randomUUID(), { text: 'two words' }), header)
  if (status !== 200) throw new Error(`a paid job was answered ${status}`)
  const verify = { pid: facilitator.pid, url: `${facilitator.url}/verify` }
  return [
    { name: 'agent', pid: agent.pid, url: `${agent.url}/execute` },
    { name: 'facilitator without a secret', ...verify },
    { name: 'facilitator with a secret', ...verify, secret },
    { name: 'platform', pid: platform.pid, url: `${platform.url}/v1/jobs` },
  ]
}

/** Starts requests; resolves to the bytes of their bodies once all are sent or no longer read. */
async function dripRequests(
  { url, secret }: Target,
  connections: number,
  chunks: number,
): Promise<{ readonly bytes: number; readonly end: () => void }> {
  const { hostname, port, host, pathname } = new URL(url)
  const authorization = secret === undefined ? [] : [`Authorization: Bearer ${secret}`]
  const head = [`POST ${pathname} HTTP/1.1`, `Host: ${host}`, ...authorization]
  const sockets = Array.from({ length: connections }, () => connect(Number(port), hostname))
  const sent = await Promise.all(sockets.map(socket => drip(socket, head, { chunks, apart: false })))
  return { bytes: sum(sent), end: () => sockets.forEach(socket => socket.destroy()) }
}
