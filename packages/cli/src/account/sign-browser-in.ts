import { browserSignInOffered } from '@farebox/platform-api/owners'
import { CommandError, usageError } from '../command-error.ts'
import { nothing } from '@farebox/platform-api/errors'
import { PlatformRefusal } from '../register/platform/ask-platform.ts'
import { paintFor } from '../terminal/text.ts'
import type { World } from '../world.ts'
import type { OpenAccount } from './open-account.ts'

const CODE = /^[2-9A-HJ-NP-Z]{6}$/

/** Throws when there is no terminal in which to type the code; called before anything is signed. */
export function requireTerminal(world: World): void {
  if (world.canAsk) return
  throw usageError('--browser needs a terminal: its code is typed in it', 'farebox login')
}

/**
 * Signs the person's browser in as the owner of this session. The link alone is not sufficient: the first browser that
 * opens it shows a code, which the person types into this terminal.
 */
export async function signBrowserIn(world: World, account: OpenAccount): Promise<void> {
  const { bold, dim, green } = paintFor(world.err)
  const { link_id: linkId } = await account.ask({
    method: 'POST',
    path: '/v1/me/browser-sign-ins',
    schema: browserSignInOffered,
  })
  // The value becomes part of a URL that is passed to a program on this machine.
  if (!/^[\w-]{1,100}$/.test(linkId))
    throw new CommandError('the platform answered with a link in no form that is known', '')
  const link = `${account.session.platform}/sign-in/terminal#${linkId}`
  const isOpened = await world.openPage(link)
  const how = isOpened ? 'opened in your browser' : 'open it in your browser'
  world.err.write(`\n  ${bold(link)}\n  ${dim(`${how}; it is good for two minutes, for one browser`)}\n\n`)
  await confirmCode(world, account)
  world.err.write(`  ${green('✓')} your browser is signed in; farebox logout ends that session, too\n`)
}

async function confirmCode(world: World, account: OpenAccount): Promise<void> {
  for (;;) {
    const typed = await world.ask.text('Code that the browser shows', {
      placeholder: 'ABC-234',
      refuse: text => (CODE.test(readCode(text)) ? undefined : 'six letters and digits, as ABC-234'),
    })
    try {
      const body = { code: readCode(typed) }
      await account.ask({
        method: 'POST',
        path: '/v1/me/browser-sign-ins/confirm',
        body,
        schema: nothing,
      })
      return
    } catch (error) {
      if (!(error instanceof PlatformRefusal) || !mayTryAgain(error)) throw explain(error)
      world.err.write(`  ${paintFor(world.err).yellow('!')} ${error.message}\n`)
    }
  }
}

/**
 * Returns whether a retry is possible: after a wrong code with tries left, or while no browser has opened the link. The
 * platform counts the tries; a link expires within two minutes.
 */
function mayTryAgain({ status, message }: PlatformRefusal): boolean {
  return status === 409 || (status === 403 && message.endsWith('left'))
}

function explain(error: unknown): unknown {
  return error instanceof PlatformRefusal
    ? new CommandError(error.message, 'run the same command again for a new link', { cause: error })
    : error
}

function readCode(text: string): string {
  return text.replaceAll(/[\s-]/g, '').toUpperCase()
}
