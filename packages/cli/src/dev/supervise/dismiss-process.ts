import { SHUTDOWN_GRACE_SECONDS } from '@farebox/protocol/limits'
import type { Clock } from 'farebox'
import type { AgentProcess } from './agent-processes.ts'
import type { Report } from '../messages/messages.ts'

/** Whoever says that it is leaving says so at once; who does not is not waited for. */
const LEAVING_TIMEOUT_MS = 1_000
/** The agent itself gives up what is in flight after its own grace (D32); a process that is still there then never goes. */
const GRACE_MS = SHUTDOWN_GRACE_SECONDS * 1_000 + 2_000

/**
 * Tells a process to go. Resolves when it takes nothing new any more. The jobs it has begun it may finish; where it
 * takes longer than they may, it is ended by force.
 *
 * @param tell what it reports until it is gone
 */
export async function dismissProcess(
  child: AgentProcess,
  hasSuccessor: boolean,
  clock: Clock,
  tell: (report: Report) => void,
): Promise<void> {
  const cancelKill = clock.after(GRACE_MS, () => child.kill())
  void child.ended.then(cancelKill)
  await new Promise<void>(resolve => {
    const cancel = clock.after(LEAVING_TIMEOUT_MS, resolve)
    const leftOrGone = (): void => {
      cancel()
      resolve()
    }
    child.onReport(report => {
      if (report.kind === 'leaving') leftOrGone()
      else tell(report)
    })
    void child.ended.then(() => leftOrGone())
    child.send({ kind: 'leave', hasSuccessor })
    if (child.isCutOff) leftOrGone()
  })
}
