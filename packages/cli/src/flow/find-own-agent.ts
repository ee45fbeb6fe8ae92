import { agentAt } from '@farebox/platform-api/agent'
import { EXIT, CommandError } from '../command-error.ts'
import type { AskPlatform } from '../register/platform/ask-platform.ts'
import { openRegistrationJournal } from '../register/platform/registration-journal.ts'
import { printable } from '../terminal/printable.ts'
import type { World } from '../world.ts'

/**
 * The agent that is meant: the one that is listed with an endpoint; without one, the only one that was registered from
 * here at this platform.
 *
 * @throws {CommandError} where that is none, or several
 */
export async function findOwnAgent(
  world: World,
  ask: AskPlatform,
  { platform, endpoint }: { readonly platform: string; readonly endpoint: string | undefined },
): Promise<number> {
  if (endpoint !== undefined) {
    const path = `/v1/agents/at?endpoint=${encodeURIComponent(endpoint)}`
    return (await ask({ path, schema: agentAt })).agent_id
  }
  const records = await openRegistrationJournal(world.home).list()
  const registered = records.filter(one => one.platform === platform && one.endedAt === undefined)
  const ids = [...new Set(registered.flatMap(({ agentId }) => agentId ?? []))]
  const [only] = ids
  if (only !== undefined && ids.length === 1) return only
  throw new CommandError(
    only === undefined
      ? `which agent? none was registered from here at ${printable(platform)}`
      : `which agent? ${ids.length} were registered from here: ${ids.join(', ')}`,
    'name it: farebox check --flows --agent-id 7, or farebox check --flows https://agent.example',
    { exitCode: EXIT.usage },
  )
}
