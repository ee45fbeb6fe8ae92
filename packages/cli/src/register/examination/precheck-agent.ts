import { printable } from '@farebox/conformance/internal/printable'
import { objectOf } from '@farebox/protocol/internal/guards/json'
import { UnusableAnswer } from '@farebox/client/exchange/agent-errors'
import { connectionOf } from '@farebox/client/exchange/client-options'
import { type WholeAnswer, exchange } from '@farebox/client/internal/exchange/exchange'
import { readAbout } from '@farebox/client/agent/read-about'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import {
  type AgentMode,
  type ConformanceRun,
  type Findings,
  isForUnknownAgent,
  putChecks,
  startRun,
} from '@farebox/conformance/agent'
import { createProgressLine, showProgress } from '../../terminal/progress.ts'
import { reachAgent } from '../../check/agent/reach-agent.ts'
import { CommandError, EXIT } from '../../command-error.ts'
import type { World } from '../../world.ts'

export interface PrecheckedAgent {
  readonly endpoint: string
  /** The name in `/health`. */
  readonly name: string
  /** `undefined` when the agent serves no `/about`: it can then be registered as Phase 1 only (D36). */
  readonly declaration: Declaration | undefined
  readonly mode: AgentMode
  readonly findings: Findings
}

/** The timeout of each request. */
const TIMEOUT_MS = 15_000
/** The rules that the platform and callers depend on and that can be checked without a job or a payment. */
const AREAS = ['health', 'about', 'routes', 'cors', 'payment-required', 'payment-required-header', 'unpaid']
const PROBE = { timeoutMs: 10_000, maxBytes: 262_144 } as const

/**
 * Sends an agent the requests of the platform: `/health`, `/about`, a job without payment, and the rules of the interface
 * that can be checked without paying.
 */
export async function precheckAgent(world: World, endpoint: string): Promise<PrecheckedAgent> {
  const { signal } = world
  const asking = showProgress(world, `asking ${endpoint}`)
  let agent: Omit<PrecheckedAgent, 'findings'>
  let run: ConformanceRun
  try {
    await reach(world, endpoint)
    const name = await readHealth(world, endpoint)
    const declaration = await readDeclaration(world, endpoint)
    if (declaration !== undefined) await refuseFreeWork(world, endpoint)
    const only = declaration === undefined ? ['health'] : AREAS
    run = await startRun({ baseUrl: endpoint, timeoutMs: TIMEOUT_MS, signal, only })
    agent = { endpoint, name, declaration, mode: run.mode }
  } finally {
    asking.end()
  }
  if (agent.declaration !== undefined && agent.mode === 'dev') throw inDevMode(endpoint)
  return { ...agent, findings: await putRules(world, endpoint, run) }
}

/** The hint names `farebox start`, because `farebox dev` starts an agent in dev mode, which is refused here. */
async function reach({ signal }: World, endpoint: string): Promise<void> {
  try {
    await reachAgent(endpoint, { timeoutMs: TIMEOUT_MS, signal })
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    const next = error.next.replace('farebox dev starts it', 'farebox start starts it')
    throw new CommandError(error.message, next, { cause: error, exitCode: error.exitCode })
  }
}

async function readHealth({ signal }: World, endpoint: string): Promise<string> {
  const answer = await exchange(connectionOf({ signal }), {
    url: `${endpoint}/health`,
    method: 'GET',
    ...PROBE,
  })
  const reason = refuseHealth(answer)
  const name = nameOf(answer.json)
  if (reason === undefined && name !== undefined) return name
  throw new CommandError(
    `GET ${endpoint}/health ${reason ?? 'tells no name'}`,
    'it has to answer 200 and {"name": <agent name>, "version": "1.0", "status": "ok"}',
  )
}

function refuseHealth({ status, flaw, json }: WholeAnswer): string | undefined {
  if (status !== 200) return `answers HTTP ${status}`
  if (flaw !== undefined) return flaw
  const { version, status: told } = objectOf(json)
  if (version !== '1.0') return `tells version ${shown(version)}, not "1.0"`
  return told === 'ok' ? undefined : `tells status ${shown(told)}, not "ok"`
}

function nameOf(json: unknown): string | undefined {
  const { name } = objectOf(json)
  return typeof name === 'string' && name !== '' ? name : undefined
}

/** Only an agent without `/about` is Phase 1; an agent with a broken one must be fixed (REG-07). */
async function readDeclaration({ signal }: World, endpoint: string): Promise<Declaration | undefined> {
  try {
    return await readAbout(endpoint, { allowHttp: true, signal })
  } catch (error) {
    if (!(error instanceof UnusableAnswer)) throw error
    if (error.httpStatus === 404) return undefined
    throw new CommandError(
      printable(error.message),
      `farebox check ${endpoint} --only about shows how to fix it`,
      { cause: error },
    )
  }
}

/** OPS-02: an agent that delivers without payment is not listed as a paid one. */
async function refuseFreeWork({ signal }: World, endpoint: string): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const request = { url: `${endpoint}/execute`, method: 'POST', headers, body: '{}', ...PROBE } as const
  const { status } = await exchange(connectionOf({ signal }), request)
  if (status !== 200) return
  throw new CommandError(
    `${endpoint} works for nothing: POST /execute without payment is answered 200`,
    'an agent asks for payment first: answer 402. One of farebox does with SERVICE_DEV_MODE=false',
  )
}

function inDevMode(endpoint: string): CommandError {
  return new CommandError(
    `${endpoint} is in dev mode: its jobs are free, for everybody`,
    'set SERVICE_DEV_MODE=false and FACILITATOR_SECRET, restart it, and register it then',
  )
}

async function putRules(world: World, endpoint: string, run: ConformanceRun): Promise<Findings> {
  const { signal } = world
  const line = createProgressLine(world)
  const checks = run.checks.filter(
    check => isForUnknownAgent(check) && !check.needs.payer && check.needs.modes.includes(run.mode),
  )
  const findings = await putChecks(run, checks, {
    timeoutMs: TIMEOUT_MS,
    signal,
    isThere: () => reachAgent(endpoint, { timeoutMs: TIMEOUT_MS, signal }),
    onCheck: (check, index) => line.show(`${index + 1} of ${checks.length}  ${check.title}`),
    onResult: () => undefined,
  }).finally(() => line.clear())
  if (findings.stopped?.reason === 'interrupted') {
    throw new CommandError('stopped', 'nothing was sent', { exitCode: EXIT.interrupted })
  }
  return findings
}

function shown(value: unknown): string {
  return printable((JSON.stringify(value) ?? 'nothing').slice(0, 60))
}
