import type { ExitCode } from '../refusal.ts'
import type { World } from '../world.ts'
import { lookAtAgent } from './look-at-agent.ts'
import { readAgentId } from './read-agent-id.ts'
import type { RawAgentOptions } from './register-options.ts'
import { openRegistrationJournal } from './registration-journal.ts'
import { readStatusLine, tellStatusLine, type StatusLine } from './status-line.ts'
import { tellInJson } from './tell-in-json.ts'

/**
 * `farebox register status`: of every registration that was begun here; with a number, has the platform look at that
 * agent and tells what it found.
 */
export async function showStatus(
  world: World,
  agentId: string | undefined,
  options: RawAgentOptions,
): Promise<ExitCode> {
  const work = (): Promise<object> =>
    agentId === undefined ? listAll(world, options) : lookAtAgent(world, readAgentId(agentId), options)
  return await tellInJson(world, options, work, 'nothing was changed')
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
  if (options.json !== true) {
    if (lines.length === 0)
      err.write('  nothing was registered from here\n  farebox register --endpoint <https_url>\n')
    out.write(lines.map(line => tellStatusLine(world, line)).join('\n'))
  }
  return { registrations: lines }
}
