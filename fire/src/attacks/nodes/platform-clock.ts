import { setTimeout as delay } from 'node:timers/promises'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { registerAgent } from '@farebox/local/src/register-agent'
import pg from 'pg'
import { sendOrder, signOrder, type ListedAgent } from '../../../../e2e/stage/order.ts'
import { startCli } from '../../../../e2e/stage/run-cli.ts'
import { setStage, type Stage } from '../../../../e2e/stage/stage.ts'
import type { Score } from '../../battery.ts'
import type { Attack, AttackRun } from '../attack.ts'
import { freshName } from '../access/pgbouncer.ts'
import { untilTrue } from './until-true.ts'

const CONFIG = 'e2e/agents/counted/agent.json'
const PRICE = '0.01'
const NAMED_WITHIN_MS = 20_000
/** A platform whose clock is further off than this says that it is not ready. */
const UNFIT_SECONDS = 30
const SETTLED_WITHIN_MS = 15_000

/** The platform's clock is wrong, in either direction; node, facilitator and agent have the right time (row 22). */
export const platformClock: Attack = {
  name: 'a platform whose clock is off',
  before:
    '−40 s: 3 of 3 orders failed, /ready 200, nothing named the clock, nor did farebox check (small form)',
  async run(run) {
    const stage = await setStage()
    try {
      const schema = freshName('attack_clock')
      const { agent, facilitator } = await listAgent(stage, schema)
      const scores: Score[] = []
      for (const aheadSeconds of run.size === 'small' ? [-40] : [-30, -40, 300])
        scores.push(...(await play({ stage, schema, agent, facilitator, aheadSeconds }, run)))
      return [...scores, await checkFromAfar(stage, agent)]
    } finally {
      await stage.strike()
    }
  },
}

type Facilitator = Awaited<ReturnType<Stage['facilitator']>>

interface Scene {
  readonly stage: Stage
  readonly schema: string
  readonly agent: ListedAgent
  readonly facilitator: Facilitator
  readonly aheadSeconds: number
}

/** While the clock was right. */
async function listAgent(
  stage: Stage,
  schema: string,
): Promise<{ readonly agent: ListedAgent; readonly facilitator: Facilitator }> {
  const wallet = TEST_KEYS.agent.address
  const facilitator = await stage.facilitator()
  const platform = await stage.platform({ facilitator, environment: { DATABASE_SCHEMA: schema } })
  const secret = await stage.secret(facilitator, [wallet])
  const { url } = await stage.agent({
    config: CONFIG,
    name: 'agent',
    facilitator,
    secret,
    wallet,
    store: 'memory:',
  })
  const { agentId } = await registerAgent(platform, stage.chain, { url, wallet })
  await platform.stop()
  return { agent: { agentId, endpoint: url, wallet }, facilitator }
}

async function play(
  { stage, schema, agent, facilitator, aheadSeconds }: Scene,
  { size, signal }: AttackRun,
): Promise<readonly Score[]> {
  const named: string[] = []
  const platform = await stage.platform({
    facilitator,
    environment: {
      DATABASE_SCHEMA: schema,
      NODE_OPTIONS: `--import=${new URL('shift-clock.mjs', import.meta.url).href}`,
      FIRE_CLOCK_AHEAD_SECONDS: String(aheadSeconds),
    },
    onLine: (_, line) => void (/clocks differ/.test(line) && named.push(line)),
  })
  const name = `${aheadSeconds > 0 ? '+' : '−'}${Math.abs(aheadSeconds)} s`
  try {
    let ready = { status: 0, clock: '' }
    const tookMs = await untilTrue(NAMED_WITHIN_MS, async () => {
      const answer = await fetch(`${platform.url}/ready`)
      ready = { status: answer.status, clock: ((await answer.json()) as { readonly clock: string }).clock }
      return ready.clock !== 'ok'
    })
    const jobs = size === 'small' ? 3 : 10
    const answers: string[] = []
    for (let sent = 0; sent < jobs; sent += 1) {
      signal.throwIfAborted()
      const input = { text: 'sesame' }
      const answer = await sendOrder(
        platform.url,
        await signOrder(stage, agent, { capability: 'tell', price: PRICE, input }),
      )
      const { status, error } = (await answer.json()) as { readonly status?: string; readonly error?: string }
      answers.push(`${answer.status} ${status ?? error ?? ''}`.slice(0, 80))
    }
    // A job that failed is judged a moment later.
    await delay(2_000)
    const blamed = await countBlamed(stage, schema)
    const isUnfit = Math.abs(aheadSeconds) > UNFIT_SECONDS
    return [
      {
        test: `${name}: /ready, and the log`,
        reached: `${ready.status} "${ready.clock}"${tookMs === undefined ? '' : ` after ${(tookMs / 1_000).toFixed(1)} s`}, ${named.length} lines`,
        target: `${isUnfit ? '503' : '200'}, naming the clock, and one line`,
        isMet:
          ready.status === (isUnfit ? 503 : 200) &&
          ready.clock.includes('our clock is') &&
          named.length === 1,
      },
      {
        test: `${name}: ${jobs} orders at an honest agent`,
        reached: `${[...new Set(answers)].join(', ')}; ${blamed} failures on its record`,
        target: 'none on its record',
        isMet: blamed === 0,
      },
    ]
  } finally {
    await platform.stop()
  }
}

/** Of all jobs that came to nothing, once each of them was judged. */
async function countBlamed({ databaseUrl }: Stage, schema: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    let blamed = 0
    await untilTrue(SETTLED_WITHIN_MS, async () => {
      const { rows } = await client.query<{ blamed: number; open: number }>(
        `select count(*) filter (where fault = 'agent')::int as blamed,
           count(*) filter (where state in ('sent', 'pending') or (state = 'failed' and fault is null))::int as open
         from ${schema}.jobs`,
      )
      blamed = rows[0]?.blamed ?? -1
      return rows[0]?.open === 0
    })
    return blamed
  } finally {
    await client.end()
  }
}

/** `farebox check` on a machine whose clock is five minutes behind the agent's. */
async function checkFromAfar({ folder }: Stage, agent: ListedAgent): Promise<Score> {
  const { ended } = startCli(['check', agent.endpoint, '--only', 'health'], {
    folder,
    environment: {
      NODE_OPTIONS: `--import=${new URL('shift-clock.mjs', import.meta.url).href}`,
      FIRE_CLOCK_AHEAD_SECONDS: '-300',
      HOME: folder,
    },
  })
  const { out, err } = await ended
  const said = /the agent's clock is \d+ s (?:ahead of|behind) this machine's/.exec(`${out}${err}`)?.[0]
  return {
    test: 'farebox check on a machine that is 300 s behind the agent',
    reached: said ?? 'nothing of it',
    target: 'names the difference',
    isMet: said !== undefined && /is (?:299|300|301) s ahead/.test(said),
  }
}
