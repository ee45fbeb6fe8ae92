import { readAbout } from '@farebox/client/agent/read-about'
import { paintFor } from '../../terminal/paint.ts'
import { printable } from '../../terminal/printable.ts'
import type { World } from '../../world.ts'

const TIMEOUT_MS = 5_000

/**
 * Shows what an agent that moves its callers' tokens still needs once it has a number. Nothing where no capability declares
 * it, or where the agent does not answer now.
 */
export async function showSpending(world: World, endpoint: string, agentId: number): Promise<void> {
  const signal = AbortSignal.any([world.signal, AbortSignal.timeout(TIMEOUT_MS)])
  const declaration = await readAbout(endpoint, { allowHttp: true, signal }).catch(() => undefined)
  const spending = Object.entries(declaration?.capabilities ?? {})
    .filter(([, { permissions = [] }]) => permissions.length > 0)
    .map(([name]) => printable(name))
  if (spending.length === 0) return
  const { dim } = paintFor(world.err)
  const verb = spending.length === 1 ? 'moves' : 'move'
  world.err.write(
    `\n  ${spending.join(', ')} ${verb} tokens of its callers: set these and restart the agent\n` +
      `    AGENT_ID=${agentId}\n` +
      `    SPENDER_PRIVATE_KEY=  ${dim('a key for this alone; its account needs gas and nothing else')}\n`,
  )
}
