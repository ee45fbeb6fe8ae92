import type { Registration } from '@farebox/platform-api/registry'
import { paintFor } from '../../terminal/paint.ts'
import { printable } from '../../terminal/printable.ts'
import type { Registering } from './registering.ts'
import { waitForListing, type Listed } from './wait-for-listing.ts'

/** Sends a person to the page of the registration, and waits until the agent is listed. The address is always told too. */
export async function stakeInBrowser(registering: Registering, registration: Registration): Promise<Listed> {
  const { world, raw } = registering
  const { bold, dim } = paintFor(world.err)
  const page = registration.register_page_url
  const isOpened = raw.browser !== false && (await world.openPage(page))
  const how = isOpened
    ? 'opened in your browser; any other that has the wallet will do'
    : 'open it in a browser that has the wallet'
  world.err.write(`\n  ${bold(printable(page))}\n  ${dim(how)}\n\n`)
  return await waitForListing(registering, registration)
}
