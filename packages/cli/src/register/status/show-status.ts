import { EXIT, type ExitCode } from '../../command-error.ts'
import type { World } from '../../world.ts'
import { readAgentStatus } from './read-agent-status.ts'
import { readAgentId } from '../platform/read-agent-id.ts'
import type { RawAgentOptions } from '../platform/register-options.ts'
import { openRegistrationJournal } from '../platform/registration-journal.ts'
import { readStatusLine, tellStatusLine, type StatusLine } from './status-line.ts'
import { runWithJson } from '../platform/run-with-json.ts'
import { asTyped } from '../../terminal/as-typed.ts'

/**
 * `farebox register status`: of every registration that was begun here; with a number, has the platform look at that
 * agent and tells what it found; exit code 1 where it has a problem.
 */
export async function showStatus(
  world: World,
  agentId: string | undefined,
  options: RawAgentOptions,
): Promise<ExitCode> {
  let hasProblem = false
  const work = async (): Promise<object> => {
    if (agentId === undefined) return await listAll(world, options)
    const status = await readAgentStatus(world, readAgentId(agentId), options)
    hasProblem = status.problem !== null && status.standing !== 'deregistered'
    return status
  }
  const code = await runWithJson(world, options, work, 'nothing was changed')
  return hasProblem ? EXIT.refused : code
}

async function listAll(world: World, options: RawAgentOptions): Promise<object> {
  const { out, err, signal } = world
  const journal = openRegistrationJournal(world.home)
  const wanted = options.platform?.replace(/\/+$/, '')
  const lines: StatusLine[] = []
  for (const record of await journal.list()) {
    if (wanted === undefined || record.platform === wanted) {
      lines.push(await readStatusLine(journal, record, signal))
    }
  }
  lines.sort((one, other) => Number(isOffline(other)) - Number(isOffline(one)))
  if (options.json !== true) {
    if (lines.length === 0)
      err.write(
        `  nothing was registered from here\n  ${asTyped(world, 'farebox register')} --endpoint <https_url>\n`,
      )
    out.write(lines.map(line => tellStatusLine(world, line)).join('\n'))
  }
  return { registrations: lines }
}

/** What has to be looked after comes first. */
function isOffline({ status, availability }: StatusLine): boolean {
  return status?.state === 'listed' && availability === 'offline'
}
