import type { RegistrationCheck } from '@farebox/platform-api/registration/registration-check'
import type { PlatformParts } from '../../platform-parts.ts'
import { failedCheck } from './explain-check.ts'

/** The maximum number of characters of the user's input that are shown. */
const MAX_CHARACTERS = 200
const UNSEEN = /\p{C}/gu

/**
 * Creates the failed check of a URL that no agent may have, with the user's input and a corrected form. An input
 * without a scheme is completed with one; with a local chain, agents on this machine are reached over http.
 *
 * @param reason - why it was refused: `<part>: <what is wrong>`
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

/** Adds the first scheme that the outbound guard allows; it allows http only on the machine of a local chain. */
function addScheme(outbound: PlatformParts['outbound'], given: string): string | undefined {
  for (const scheme of ['http', 'https']) {
    const verdict = outbound.judge(`${scheme}://${given}`)
    if (verdict.ok) return verdict.url
  }
  return undefined
}
