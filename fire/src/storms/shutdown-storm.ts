import { setTimeout as delay } from 'node:timers/promises'
import { findingsOf } from './audit/audit-storm.ts'
import type { StormOrder } from './event-log.ts'
import { underLoad } from './load/under-load.ts'
import type { Ending } from './stage/managed-process.ts'
import type { StormStage } from './stage/storm-stage.ts'
import { grouped, replayArguments, type StormResult, type StormRun } from './storm-run.ts'

const WITHIN_MS = 10_000

/** SIGTERM at random moments under callers that keep their connections (S12, D32): nothing accepted is dropped. */
export async function shutdownStorm(run: StormRun): Promise<StormResult> {
  const { stage, size, random, signal, progress } = run
  const endings: Ending[] = []
  const load = {
    random: random.fork('load'),
    pauseMs: size.pauseMs,
    onSettling: () => progress({ doing: 'shutdowns, settling', done: size.shutdowns, of: size.shutdowns }),
  }
  const { orders, audit } = await underLoad(run, load, async () => {
    for (let done = 0; done < size.shutdowns && !signal.aborted; done += 1) {
      progress({ doing: 'shutdowns', done, of: size.shutdowns })
      await delay(random.between(0, 600))
      const agent = random.pick(stage.agents)
      const ending = await agent.stop()
      if (ending !== undefined) endings.push(ending)
      await agent.start()
    }
  })
  const { dropped, refused, cut } = findDropped(stage, orders)
  return score(run, { endings, orders: orders.length, dropped, refused, cut, more: findingsOf(audit) })
}

function score(
  { size, seed }: StormRun,
  seen: {
    readonly endings: readonly Ending[]
    readonly orders: number
    readonly dropped: readonly string[]
    readonly refused: number
    readonly cut: number
    readonly more: readonly string[]
  },
): StormResult {
  const { endings, dropped, refused, cut, more } = seen
  const slowestMs = Math.max(0, ...endings.map(({ tookMs }) => tookMs))
  const wrong = endings.filter(({ code, tookMs }) => code !== 0 || tookMs > WITHIN_MS)
  const replay = replayArguments({ size }, 'shutdown', seed)
  return {
    scores: [
      {
        test: `SIGTERM: ${size.shutdowns} at random moments, ${grouped(seen.orders)} orders on kept connections`,
        reached: `${dropped.length} accepted requests dropped, ${endings.length - wrong.length} exits with 0, the slowest after ${(slowestMs / 1_000).toFixed(1)} s; ${refused} met a closed port, ${cut} a connection that was just being closed`,
        target: `0 dropped, ${size.shutdowns} exits with 0 within ${WITHIN_MS / 1_000} s`,
        isMet: dropped.length === 0 && wrong.length === 0 && endings.length === size.shutdowns,
      },
    ],
    findings: [
      ...wrong.map(
        ({ code, tookMs, lastLines }) =>
          `SIGTERM: exit ${code} after ${(tookMs / 1_000).toFixed(1)} s: ${lastLines.split('\n').slice(-2).join(' | ')}`,
      ),
      ...dropped.map(text => `SIGTERM: ${text}`),
      ...more.map(text => `SIGTERM: ${text}`),
    ].map(finding => `${finding} ${replay}`),
  }
}

/**
 * Requests that an agent began to execute and never answered. One that got no answer and was never begun was not
 * accepted: it reached a connection, or a port, that was being closed.
 */
function findDropped(
  { agents, eventLog }: StormStage,
  orders: readonly StormOrder[],
): { readonly dropped: readonly string[]; readonly refused: number; readonly cut: number } {
  const dropped: string[] = []
  let refused = 0
  let cut = 0
  for (const { jobId } of orders) {
    for (const { name } of agents) {
      const sent = eventLog.attemptsOf(jobId).filter(({ agent }) => agent === name)
      const atClosedPort = sent.filter(({ trouble }) => trouble.includes('ECONNREFUSED')).length
      const unanswered = sent.filter(({ answer }) => answer === undefined).length - atClosedPort
      // Who was told that the agent shuts down was answered without being executed.
      const answered = sent.filter(
        ({ answer }) => answer !== undefined && !answer.body.includes('shutting down'),
      ).length
      const begun = Math.max(0, eventLog.executions(name, jobId) - answered)
      for (let lost = 0; lost < Math.min(begun, unanswered); lost += 1)
        dropped.push(
          `${name} took ${jobId} and never answered: ${sent.map(({ trouble }) => trouble).join(' ')}`,
        )
      refused += atClosedPort
      cut += Math.max(0, unanswered - begun)
    }
  }
  return { dropped, refused, cut }
}
