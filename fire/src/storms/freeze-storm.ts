import { setTimeout as delay } from 'node:timers/promises'
import { findingsOf } from './audit/audit-storm.ts'
import { underLoad } from './load/under-load.ts'
import type { ManagedProcess, ManagedKind } from './stage/managed-process.ts'
import { freezeFamily } from './stage/process-family.ts'
import { grouped, replayArguments, type StormResult, type StormRun } from './storm-run.ts'

/** How long each stands still, in milliseconds: past what others wait for it, and short of it. */
const SPANS: { readonly [kind in ManagedKind]: readonly [least: number, most: number] } = {
  // A lease is ten seconds: somebody else has the jobs by then.
  agent: [9_000, 14_000],
  // The relayer's lease is four.
  facilitator: [3_000, 8_000],
  // A query is given up after ten.
  postgres: [1_000, 12_000],
  // A command is given up after one, and done all the same.
  redis: [500, 4_000],
}
const EVERY_MS = 2_500
/** So many at the same time, so that somebody is left to go on. */
const FROZEN_AT_ONCE = 3

/**
 * SIGSTOP and, later, SIGCONT: processes that everybody takes for dead and that come back in the middle of what they
 * were doing (D6: fences; D8: what was given up may have been done).
 */
export async function freezeStorm(run: StormRun): Promise<StormResult> {
  const { size, seed, random, progress } = run
  const load = {
    random: random.fork('load'),
    pauseMs: size.pauseMs,
    onSettling: () => progress({ doing: 'freezes, settling', done: size.freezes, of: size.freezes }),
  }
  const { orders, audit } = await underLoad(run, load, () => freezeAtRandom(run))
  const { money, runs } = audit
  const findings = findingsOf(audit)
  return {
    scores: [
      {
        test: `SIGSTOP: ${size.freezes} processes stood still and came back, ${grouped(orders.length)} orders`,
        reached:
          `${grouped(money.completed)} jobs completed, ${grouped(money.paid)} payments moved; ` +
          `${grouped(audit.truth.failures)} failures told; ${runs.afterFreeze} ran again elsewhere, ` +
          `${runs.afterStoreTrouble} after Redis stood still; ${findings.length} wrong`,
        target: 'money moved = jobs completed, ledger = chain, all told truly: 0 wrong',
        isMet: findings.length === 0,
      },
    ],
    findings: findings.map(text => `freeze storm: ${text} ${replayArguments(run, 'freeze', seed)}`),
  }
}

async function freezeAtRandom({ stage, size, random, signal, progress }: StormRun): Promise<void> {
  const all: readonly ManagedProcess[] = [...stage.agents, ...stage.facilitators, stage.postgres, stage.redis]
  const frozen = new Set<ManagedProcess>()
  const thawing: Promise<void>[] = []
  const standStill = async (managed: ManagedProcess, pid: number, spanMs: number): Promise<void> => {
    const atMs = Date.now()
    stage.eventLog.frozen({ kind: managed.kind, name: managed.name, pid, atMs, untilMs: atMs + spanMs })
    const thaw = await freezeFamily(pid)
    await delay(spanMs, undefined, { signal }).catch(() => undefined)
    thaw()
    frozen.delete(managed)
  }
  for (let done = 0; done < size.freezes && !signal.aborted;) {
    await delay(random.between(0, 2 * EVERY_MS))
    const managed = random.pick(all)
    const { pid } = managed
    if (pid === undefined || frozen.has(managed) || frozen.size === FROZEN_AT_ONCE) continue
    const [least, most] = SPANS[managed.kind]
    frozen.add(managed)
    thawing.push(standStill(managed, pid, random.between(least, most)))
    done += 1
    progress({ doing: 'freezes', done, of: size.freezes })
  }
  await Promise.all(thawing)
}
