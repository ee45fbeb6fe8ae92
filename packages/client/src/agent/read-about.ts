import { checkDeclaration } from '@farebox/protocol/declaration/check-declaration'
import { WALLET_PLACEHOLDER, type Declaration } from '@farebox/protocol/declaration/declaration'
import { formatPath, type Problem } from '@farebox/protocol/problems/problem'
import { UnusableAnswer } from '../exchange/agent-errors.ts'
import { readAgentUrl } from './agent-url.ts'
import { connectionOf, type ClientOptions } from '../exchange/client-options.ts'
import { exchangeUntil, FIRST_CONTACT } from '../exchange/exchange-until.ts'
import { foreignText } from '../exchange/foreign-text.ts'

/** D37: the time limit of a request to an unknown agent. */
const ABOUT_TIMEOUT_MS = 10_000
const MAX_ABOUT_BYTES = 262_144

/** The most problems of a declaration that are listed in the error. */
const SHOWN_PROBLEMS = 3

/**
 * Reads and checks an agent's declaration: `GET /about`, at most 256 KB within 10 s, no redirects (D37). Repeated
 * while the agent is being restarted.
 *
 * @param agentUrl base URL, `https` or on this machine: `https://agent.example`
 * @returns the declaration, every rule of D28 checked, its wallet an address
 * @throws {TypeError} for a URL that is not an agent's
 * @throws {AgentUnreachable} when there is no response
 * @throws {UnusableAnswer} when the response is not a declaration; a 404 means that the agent serves none
 * @example
 * ```ts
 * import { readAbout } from '@farebox/client/agent/read-about'
 *
 * const { name, capabilities } = await readAbout('https://agent.example')
 * console.log(name, Object.keys(capabilities))
 * ```
 */
export async function readAbout(agentUrl: string, options: ClientOptions = {}): Promise<Declaration> {
  const connection = connectionOf(options)
  const request = {
    url: `${readAgentUrl(agentUrl, connection)}/about`,
    method: 'GET',
    timeoutMs: ABOUT_TIMEOUT_MS,
    maxBytes: MAX_ABOUT_BYTES,
  } as const
  const answer = await exchangeUntil(connection, request, FIRST_CONTACT)
  if (answer.status === 404) throw new UnusableAnswer(404, 'the agent serves no /about')
  const unusable = (reason: string): UnusableAnswer =>
    new UnusableAnswer(answer.status, `the agent's /about ${reason}`)
  if (answer.flaw !== undefined) throw unusable(answer.flaw)
  if (answer.status !== 200) throw unusable(`answered HTTP ${answer.status}`)
  const checked = checkDeclaration(answer.json)
  if (!checked.ok) throw unusable(`is not a valid declaration: ${problemsOf(checked.problems)}`)
  if (checked.declaration.wallet === WALLET_PLACEHOLDER) throw unusable('serves a placeholder for its wallet')
  return checked.declaration
}

function problemsOf(problems: readonly Problem[]): string {
  const shown = problems.slice(0, SHOWN_PROBLEMS).map(({ path, reason }) => `${formatPath(path)}: ${reason}`)
  const more = problems.length > shown.length ? ` (and ${problems.length - shown.length} more)` : ''
  return foreignText(shown.join('; ')) + more
}
