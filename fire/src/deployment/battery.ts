import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startRedisSentinels } from 'farebox/src/jobs/test-setup/redis-groups'
import { until } from '@farebox/protocol/src/test-setup/until'
import { findProgram, scoreCount } from '../attacks/attack.ts'
import { RefusedOption, type Battery, type BatteryResult, type BatteryRun } from '../battery.ts'
import { findPrograms, type Programs } from '../failover/cluster/find-programs.ts'
import { startCluster, type Cluster } from '../failover/cluster/start-cluster.ts'
import { audit, scoreAudits } from '../storms/audit/audit.ts'
import { openBehindSentinels } from '../storms/stage/redis-groups.ts'
import { playOnStage, WALLET, type Stage } from '../storms/stage/stage.ts'
import { AGENT_HOST, deploy, QUIET_OWNER, type Outside } from './deploy.ts'
import { createNetworks, type Networks } from './engine/networks.ts'
import { readCompose, type Compose } from './engine/read-compose.ts'
import { LOGS } from './engine/start-container.ts'
import { AGENT_URL, runJobs, type LoadPlan } from './load.ts'
import {
  countOpenJobs,
  findAgentId,
  readRegistered,
  registerOnChain,
  untilListed,
} from './registered-agents.ts'
import { scoreCompleted, scoreRegistered } from './scores.ts'
import { FEW_STRIKES, STRIKES, type Strike } from './strikes.ts'

/** `minutes` are those under load. */
const SIZES = {
  small: { agents: 20, minutes: 1, strikes: FEW_STRIKES },
  full: { agents: 1_000, minutes: 20, strikes: STRIKES },
}
const JOBS_A_SECOND = 10
const PAYERS = 20
const PAYER_ATOMIC = 1_000_000_000n
/** As on Base. */
const BLOCK_SECONDS = 2
/** Agents keep responses for ten minutes; asking for all of them takes a while. */
const KEPT_MS = 480_000
const CALM_MS = 5_000
/** The Sentinels take a server for dead after it. */
const REDIS_SILENT_MS = 3_000

/** The deployment of the operator's pages, and everything in it ended in turn. */
export const deployment: Battery = {
  name: 'deployment',
  does: 'The Compose file of deploy/ started as containers are (a network namespace each), on a PostgreSQL under Patroni and a Redis with Sentinels: 1,000 agents registered on the chain and checked (one, with two processes behind the balancer, takes the jobs; a small server answers for the others), 10 jobs a second, half asked for directly and half through the platform, while every part is killed, restarted and failed over in turn.',
  flags: {
    minutes: { value: '<n>', help: 'under load, in place of 20' },
    agents: { value: '<n>', help: 'registered, in place of 1,000' },
    only: { value: '<words>', help: 'the strikes whose name contains these words' },
  },
  run,
}

async function run(options: BatteryRun): Promise<BatteryResult> {
  const programs = findPrograms()
  const others = ['dnsmasq', 'ip', 'redis-server'].filter(name => findProgram(name) === undefined)
  const missing = [...('missing' in programs ? programs.missing : []), ...others]
  if ('missing' in programs || missing.length > 0)
    return { scores: [], findings: [], skipped: [`deployment: not installed: ${missing.join(', ')}`] }
  if (process.getuid?.() !== 0)
    return { scores: [], findings: [], skipped: ['deployment: namespaces are made by root'] }
  const plan = choose(options)
  const folder = await mkdtemp(join(tmpdir(), 'farebox-deployment-'))
  const compose = await readCompose()
  const subnets = Object.entries(compose.networks).map(
    ([name, { ipam }]) => [name, ipam.config[0]?.subnet ?? ''] as const,
  )
  let networks: Networks | undefined
  try {
    networks = await createNetworks(folder, new Map(subnets))
    await rm(LOGS, { recursive: true, force: true })
    return await playDeployment(options, plan, { programs, compose, networks })
  } finally {
    await networks?.remove()
    await rm(folder, { recursive: true })
  }
}

interface Plan {
  readonly agents: number
  readonly minutes: number
  readonly strikes: readonly Strike[]
}

function choose({ size, flags = {} }: BatteryRun): Plan {
  const usual = SIZES[size]
  const read = (name: string, value: number): number => {
    const given = Number(flags[name] ?? value)
    if (!(given > 0)) throw new RefusedOption(`--${name} ${flags[name]}: must be a number above 0`)
    return given
  }
  const { only = '' } = flags
  const strikes = (only === '' ? usual.strikes : STRIKES).filter(({ name }) => name.includes(only))
  if (strikes.length === 0) throw new RefusedOption(`no strike's name contains "${only}"`)
  return { agents: read('agents', usual.agents), minutes: read('minutes', usual.minutes), strikes }
}

interface Ground {
  readonly programs: Programs
  readonly compose: Compose
  readonly networks: Networks
}

async function playDeployment(options: BatteryRun, plan: Plan, ground: Ground): Promise<BatteryResult> {
  const { programs, compose, networks } = ground
  const host = networks.host('default')
  let cluster: Cluster | undefined
  const play = async (stage: Stage): Promise<BatteryResult> => {
    if (cluster === undefined) throw new Error('the stage has no cluster')
    const redis = await startRedisSentinels(REDIS_SILENT_MS, host)
    stage.onStrike(redis.stop)
    const store = openBehindSentinels(redis, 'agent')
    return await playOn(stage, { networks, cluster, redis, store }, compose, plan, options)
  }
  options.progress({ doing: 'starting the stores', done: 0, of: 1 })
  return await playOnStage(options.signal, play, {
    blockTimeSeconds: BLOCK_SECONDS,
    async startDatabase(base) {
      cluster = await startCluster(programs, base, host)
      return cluster.url
    },
  })
}

async function playOn(
  stage: Stage,
  outside: Outside,
  compose: Compose,
  plan: Plan,
  options: BatteryRun,
): Promise<BatteryResult> {
  const load = await open(stage, outside, compose, plan, options)
  const enough = new AbortController()
  const [struck, jobs] = await Promise.all([
    strikeInTurn(stage, outside, plan, options).finally(() => enough.abort()),
    runJobs(stage, load, enough.signal),
  ])
  const completed = scoreCompleted(jobs)
  options.progress({ doing: 'comparing ledger and chain', done: 1, of: 1 })
  const registered = await readRegistered(stage.databaseUrl)
  const left = await untilNoneIsOpen(stage)
  const orders = [...stage.eventLog.orders.values()]
  const sinceMs = Date.now() - KEPT_MS
  const kept = orders.filter(({ attempts }) => (attempts[0]?.sentMs ?? 0) >= sinceMs)
  const judged = await audit({ ...stage, agents: [load.agent] }, orders, kept)
  stage.signal.throwIfAborted()
  const findings = [...struck.wrong, ...judged.findings, ...stage.eventLog.mishaps]
  const test = `${plan.strikes.length} times a part killed, restarted or failed over in ${struck.minutes} minutes at ${JOBS_A_SECOND} jobs a second`
  return {
    scores: [
      scoreRegistered(registered, plan.agents),
      scoreAudits(test, [judged], findings),
      completed,
      scoreCount('jobs of the platforms without an end after their deadlines', left, 0, jobs.length),
    ],
    findings: findings.map(finding => `${finding} (npm run fire -- deployment)`),
  }
}

/** Starts everything, and registers the agents; resolves to whom jobs are ordered from, and by whom. */
async function open(
  stage: Stage,
  outside: Outside,
  compose: Compose,
  { agents }: Plan,
  { progress }: BatteryRun,
): Promise<LoadPlan> {
  const quiet = Array.from({ length: agents - 1 }, (_, index) => `quiet-${index + 1}.${AGENT_HOST}`)
  const [payers, deployed] = await Promise.all([
    Promise.all(Array.from({ length: PAYERS }, () => stage.fundPayer(PAYER_ATOMIC))),
    deploy(stage, compose, outside, quiet),
  ])
  await registerOnChain(stage.chain, WALLET, [AGENT_URL])
  const others = quiet.map(name => `https://${name}`)
  await registerOnChain(stage.chain, QUIET_OWNER.address, others)
  await untilListed(stage, agents, listed =>
    progress({ doing: 'listing and checking the agents', done: listed, of: agents }),
  )
  return {
    platformUrl: deployed.platformUrl,
    agentId: await findAgentId(stage.databaseUrl, AGENT_URL),
    agent: { name: 'agent', store: outside.store, connections: deployed.agents },
    payers,
    everyMs: 1_000 / JOBS_A_SECOND,
  }
}

/** Evenly over the time under load, one after the other: a part is back before the next one goes. */
async function strikeInTurn(
  stage: Stage,
  outside: Outside,
  { strikes, minutes }: Plan,
  { progress }: BatteryRun,
): Promise<{ readonly minutes: number; readonly wrong: readonly string[] }> {
  const wrong: string[] = []
  const [startedMs, lengthMs] = [Date.now(), minutes * 60_000]
  const everyMs = lengthMs / (strikes.length + 1)
  for (const [done, { name, act }] of strikes.entries()) {
    await delay(Math.max(CALM_MS, startedMs + (done + 1) * everyMs - Date.now()), undefined, {
      signal: stage.signal,
    })
    progress({ doing: name, done, of: strikes.length })
    const atMs = Date.now()
    const finding = await act(stage, outside).catch((error: unknown) => `${name}: ${String(error)}`)
    console.log(`${new Date(atMs).toISOString()} ${name}: back after ${Date.now() - atMs} ms`)
    if (finding !== undefined) wrong.push(finding)
  }
  await delay(Math.max(CALM_MS, startedMs + lengthMs - Date.now()), undefined, { signal: stage.signal })
  return { minutes: Math.round((Date.now() - startedMs) / 60_000), wrong }
}

/** Resolves to how many are open all the same. */
async function untilNoneIsOpen({ databaseUrl }: Stage): Promise<number> {
  return await until(async () => (await countOpenJobs(databaseUrl)) === 0, CALM_MS).then(
    () => 0,
    async () => await countOpenJobs(databaseUrl),
  )
}
