import { printableJson } from '@farebox/conformance/internal/printable'
import {
  areaOf,
  type Check,
  type ConformanceRun,
  describeMode,
  type Findings,
  isForUnknownAgent,
  listChecks,
  type Payer,
  putChecks,
  startRun,
} from '@farebox/conformance/agent'
import { EXIT, type ExitCode } from '../command-error.ts'
import { many, paintFor } from '../terminal/text.ts'
import { showProgress } from '../terminal/progress.ts'
import type { World } from '../world.ts'
import { clockAheadOf, reachAgent } from './agent/reach-agent.ts'
import { agreePayments } from './agree-payments.ts'
import { type ConformanceCheckOptions, type RawCheckOptions, readCheckOptions } from './check-options.ts'
import { checkDocument } from './check-document.ts'
import type { AgentUnderCheck } from './checked-agent.ts'
import { createRunReport, type RunReport } from './report-run.ts'
import { answerWithJson, orStopped } from '../terminal/run-with-json.ts'

/**
 * `farebox check`. With `--json` the output is always exactly one document.
 *
 * @throws {CommandError} for people: the command was not understood, no server responds, the person did not agree
 */
export async function runCheck(
  world: World,
  url: string | undefined,
  raw: RawCheckOptions,
): Promise<ExitCode> {
  const check = async (): Promise<ExitCode> => {
    if (raw.list !== true) return await checkAgent(world, readCheckOptions(url, raw), raw)
    listAreas(world, raw)
    return EXIT.done
  }
  return await answerWithJson(world, raw, check, { inWords: error => orStopped(world, error, '') })
}

async function checkAgent(
  world: World,
  options: ConformanceCheckOptions,
  raw: RawCheckOptions,
): Promise<ExitCode> {
  const { url, timeoutMs } = options
  const { signal } = world
  const { agent, run } = await prepare(world, options)
  const checks = run.checks.filter(check => isForUnknownAgent(check) && check.needs.modes.includes(run.mode))
  const report = raw.json === true ? SILENT : createRunReport(world, { ...raw, agent, checks })
  const findings = await putChecks(run, checks, {
    timeoutMs,
    signal,
    isThere: async () => void (await reachAgent(url, { timeoutMs, signal })),
    onCheck: report.onCheck,
    onResult: report.onResult,
  })
  const spending = options.paying === undefined ? undefined : run.spending()
  report.end(findings, spending)
  const document = checkDocument(agent, findings, spending)
  if (raw.json === true) world.out.write(`${printableJson(document)}\n`)
  return exitCodeOf(findings, document.ok)
}

const SILENT: RunReport = {
  onCheck: () => undefined,
  onResult: () => undefined,
  end: () => undefined,
}

async function prepare(
  world: World,
  { url, timeoutMs, only, paying }: ConformanceCheckOptions,
): Promise<{ readonly agent: AgentUnderCheck; readonly run: ConformanceRun }> {
  const { signal } = world
  const progress = showProgress(world, `asking ${url}`)
  try {
    const reached = [
      await reachAgent(url, { timeoutMs, signal }),
      await reachAgent(url, { timeoutMs, signal }),
    ]
    const clockAheadSeconds = clockAheadOf(reached.filter(told => told !== undefined))
    const asked = { baseUrl: url, timeoutMs, signal, ...(only !== undefined && { only }) }
    const run = await startRun(asked)
    const { mode } = run
    const agent = {
      url,
      mode,
      clockAheadSeconds,
      declaration: await run.declaration(),
      terms: await run.terms(),
    }
    progress.end()
    if (paying === undefined) return { agent, run }
    const { declaration, terms } = agent
    if (mode !== 'paid' || terms === undefined || declaration === undefined) {
      world.err.write(`  nothing is paid: ${describeMode(agent)}\n`)
      return { agent, run }
    }
    const payer: Payer = await agreePayments(world, url, { terms, declaration }, paying)
    return { agent, run: await startRun({ ...asked, mode, payer }) }
  } finally {
    progress.end()
  }
}

function exitCodeOf({ stopped }: Findings, isOk: boolean): ExitCode {
  if (stopped?.reason === 'interrupted') return EXIT.interrupted
  return isOk ? EXIT.done : EXIT.refused
}

/** `farebox check --list`: lists every area with its checks and their rules. */
function listAreas({ out }: World, options: Pick<RawCheckOptions, 'json' | 'only'>): void {
  const checks = listChecks().filter(
    check =>
      isForUnknownAgent(check) &&
      (options.only === undefined || options.only.some(one => one === check.id || one === areaOf(check))),
  )
  if (options.json === true) return out.write(`${printableJson(checks.map(describeCheck))}\n`)
  const { bold, dim } = paintFor(out)
  for (const area of new Set(checks.map(areaOf))) {
    const own = checks.filter(check => areaOf(check) === area)
    out.write(`${bold(area)}  ${dim(many(own.length, 'check'))}\n`)
    for (const { title, rules } of own) out.write(`  ${title}  ${dim(rules.join(', '))}\n`)
    out.write('\n')
  }
}

function describeCheck(check: Check): object {
  const { id, rules, title, fix, needs } = check
  return { id, area: areaOf(check), rules, title, fix, modes: needs.modes, needsPaid: needs.payer }
}
