import type { RegistrationCheck } from '@farebox/platform-api/registration/registration-check'
import type { PlatformParts } from '../../platform-parts.ts'
import { failedCheck } from './explain-check.ts'

/** More of what was typed says nothing more. */
const MAX_CHARACTERS = 200
const UNSEEN = /\p{C}/gu

/**
 * The check of a URL that no agent may have: what was typed, and how to write it. Where it has no scheme, the same with
 * one; on a local chain agents of this machine are reached at http.
 *
 * @param reason why it was refused: `<part>: <what is wrong>`
 */
export function explainEndpoint(
  { outbound, settings }: Pick<PlatformParts, 'outbound' | 'settings'>,
  given: string,
  reason: string,
): RegistrationCheck {
  const got = given.slice(0, MAX_CHARACTERS).replaceAll(UNSEEN, '\uFFFD')
  const written = given.includes('://') ? undefined : addScheme(outbound, given)
  const local = settings.localMode && {
    rule: 'An agent is reached at an https URL of a public address; on a local chain also at http on this machine',
    expected: 'http://localhost:3000, or https://agent.example, without a query or a fragment',
    fix: 'Register the http:// address at which the agent answers on this machine',
  }
  const said = reason.replace(/^url: /, '')
  return failedCheck('endpoint', {
    got,
    ms: null,
    ...local,
    said,
    ...(written !== undefined && { said: 'has no scheme', expected: written, fix: `Write ${written}` }),
  })
}

/** As it may be called; http only where the guard lets it through, on the machine of a local chain. */
function addScheme(outbound: PlatformParts['outbound'], given: string): string | undefined {
  for (const scheme of ['http', 'https']) {
    const verdict = outbound.judge(`${scheme}://${given}`)
    if (verdict.ok) return verdict.url
  }
  return undefined
}
