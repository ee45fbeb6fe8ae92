import type { Check } from '../agent/check/check.ts'
import { isForUnknownAgent } from '../agent/check/is-for-unknown-agent.ts'
import { putChecks, SIGNS_OF_AN_AGENT, type Findings } from '../agent/run/put-checks.ts'
import { startRun, type ConformanceRun } from '../agent/run/run-conformance.ts'
import { printable, printableJson } from '../printable.ts'
import { describeAgentRun, type AgentRun } from '../report/agent-document.ts'
import { describeMode } from '../report/describe-mode.ts'
import { ending, markOf, skippedOf, whyOf } from '../report/agent-lines.ts'
import type { ReportStyle } from '../report/format-report.ts'
import { idColumnsOf, ruleLine } from '../report/rule-line.ts'
import { CannotRun, CONFORMANCE_EXIT, type ConformanceWorld, type ConformanceExit } from './command-world.ts'
import { findPayer } from './find-payer.ts'
import { expectReachable } from './reach-agent.ts'
import { readStyle } from './read-style.ts'
import type { AgentWords } from './read-words.ts'

/** Runs `farebox-conformance agent`. Throws `CannotRun` when no agent can be reached. */
export async function runAgent(world: ConformanceWorld, words: AgentWords): Promise<ConformanceExit> {
  const { url, timeoutMs, only } = words
  const { signal } = world
  const payer = await findPayer(world, words)
  await expectReachable(url, { timeoutMs, signal })
  const run = await startRun({
    baseUrl: url,
    timeoutMs,
    signal,
    ...(only !== undefined && { only }),
    ...(payer !== undefined && { payer }),
  })
  const style = readStyle(world, words.verbose)
  const asked = run.checks.filter(check => check.needs.modes.includes(run.mode))
  const checks = asked.filter(isForUnknownAgent)
  const idColumns = idColumnsOf(checks.map(({ id }) => id))
  const screen = createScreen(words.json ? () => undefined : world.out, checks)
  screen.write(`${await heading(run, url, payer?.localNetwork, style)}\n`)
  const findings = await putChecks(run, checks, {
    timeoutMs,
    signal,
    isThere: async () => await expectReachable(url, { timeoutMs, signal }),
    onCheck: () => undefined,
    onResult(result) {
      const mark = markOf(result)
      const { id } = result.check
      if (mark !== 'skipped' || words.verbose)
        screen.write(ruleLine({ mark, id, why: whyOf(result) }, idColumns, style))
      if (mark === 'kept' && SIGNS_OF_AN_AGENT.includes(id)) screen.release()
    },
  })
  refuseNoAgent(url, findings)
  screen.release()
  const done: AgentRun = {
    url,
    name: (await nameOf(run, signal)) ?? null,
    mode: run.mode,
    findings,
    skipped: skippedOf(run, findings, payer !== undefined),
    inside: asked.filter(check => !isForUnknownAgent(check)),
    spending: payer === undefined ? undefined : run.spending(),
  }
  if (words.json) world.out(`${printableJson(describeAgentRun(done))}\n`)
  else world.out(ending(done, style))
  return exitCodeOf(findings)
}

/**
 * Holds back all output until it is certain that the server is an agent: there is nothing to report about another server.
 */
function createScreen(
  out: (text: string) => void,
  checks: readonly Check[],
): { readonly write: (text: string) => void; readonly release: () => void } {
  const held: string[] = []
  let isReleased = !SIGNS_OF_AN_AGENT.every(sign => checks.some(({ id }) => id === sign))
  return {
    write: text => void (isReleased ? out(text) : held.push(text)),
    release() {
      isReleased = true
      held.splice(0).forEach(out)
    },
  }
}

async function heading(
  run: ConformanceRun,
  url: string,
  localNetwork: string | undefined,
  style: ReportStyle,
): Promise<string> {
  const { mode } = run
  const [declaration, terms] = [await run.declaration(), await run.terms()]
  const name = declaration === undefined ? 'An agent whose /about is no declaration' : declaration.name
  return `${style.bold(printable(name))}  ${style.dim(url)}\n${describeMode({ mode, declaration, terms, localNetwork })}\n`
}

/** After an interruption no further request is sent. */
async function nameOf(run: ConformanceRun, signal: AbortSignal): Promise<string | undefined> {
  return signal.aborted ? undefined : (await run.declaration())?.name
}

/** Throws when the server is not an agent: that is not a verdict about an agent. */
function refuseNoAgent(url: string, { stopped }: Findings): void {
  if (stopped?.reason !== 'no agent') return
  throw new CannotRun(
    `what answers at ${url} is no agent: neither /health nor /about answers as one does`,
    'is this its address? An agent answers GET /health, GET /about and POST /execute below it',
  )
}

function exitCodeOf({ results, stopped }: Findings): ConformanceExit {
  if (stopped?.reason === 'interrupted') return CONFORMANCE_EXIT.interrupted
  if (results.some(({ outcome }) => outcome === 'failed')) return CONFORMANCE_EXIT.breaks
  const nothingPut = !results.some(({ outcome }) => outcome === 'passed')
  return stopped !== undefined || nothingPut ? CONFORMANCE_EXIT.notRun : CONFORMANCE_EXIT.conforms
}
