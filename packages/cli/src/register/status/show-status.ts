import { EXIT, type ExitCode } from '../../command-error.ts'
import type { World } from '../../world.ts'
import { readAgentStatus } from './read-agent-status.ts'
import { readAgentNumber } from '../../terminal/read-option.ts'
import type { RawAgentOptions } from '../platform/register-options.ts'
import { openRegistrationJournal } from '../platform/registration-journal.ts'
import { readStatusLine, type StatusLine, tellStatusLine } from './status-line.ts'
import { runWithJson } from '../../terminal/run-with-json.ts'
import { asTyped } from '../../terminal/text.ts'

/**
 * `farebox register status`: makes the platform probe an agent, or every agent that was registered from this machine, and
 * shows the results; exit code 1 when one has a problem.
 */
export async function showStatus(
  world: World,
  agentId: string | undefined,
  options: RawAgentOptions,
): Promise<ExitCode> {
  let hasProblem = false
  const work = async (): Promise<object> => {
    if (agentId === undefined) {
      const registrations = await listAll(world, options)
      hasProblem = registrations.some(hasToFix)
      return { registrations }
    }
    const status = await readAgentStatus(world, readAgentNumber(agentId), options)
    hasProblem = (status.problem ?? status.not_payable) !== null && status.standing !== 'deregistered'
    return status
  }
  const code = await runWithJson(world, options, work, 'nothing was changed')
  return hasProblem ? EXIT.refused : code
}

async function listAll(world: World, options: RawAgentOptions): Promise<readonly StatusLine[]> {
  const { out, err } = world
  const journal = openRegistrationJournal(world.home)
  const wanted = options.platform?.replace(/\/+$/, '')
  const lines: StatusLine[] = []
  for (const record of await journal.list()) {
    if (wanted === undefined || record.platform === wanted) {
      lines.push(await readStatusLine(journal, record, world))
    }
  }
  lines.sort((one, other) => Number(hasToFix(other)) - Number(hasToFix(one)))
  if (options.json !== true) {
    if (lines.length === 0)
      err.write(
        `  no agent was registered from this machine\n  ${asTyped(world, 'farebox register')} --endpoint <https_url>\n`,
      )
    out.write(lines.map(line => tellStatusLine(world, line)).join('\n'))
  }
  return lines
}

/** Agents with a problem to fix come first. */
function hasToFix({ to_fix: problem }: StatusLine): boolean {
  return problem !== undefined && problem !== null
}
